import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { Link } from "wouter";
import { ApiError, getJob, getTransitions } from "../api/client";
import { type Change, useChanges } from "../api/live";
import type { Job } from "../api/types";
import { ownTags } from "../jobs/jobs_table";
import { Copy } from "../ui/copy";
import { Note, Problem } from "../ui/note";
import { Said, unturned } from "../ui/said";
import { isActive, Status } from "../ui/status";
import { Duration, Time } from "../ui/time";
import { Attributes } from "./attributes";
import { Cancel } from "./cancel";
import { Log } from "./log";
import { Transitions } from "./transitions";

// What a job publishes while it runs is no change of its status and so no event: it is asked for.
const POLL_MS = 2_000;

function useJob(id: string) {
  const queries = useQueryClient();
  const concerns = useCallback((change: Change) => change.id === undefined || change.id === id, [id]);
  const again = useCallback(() => void queries.invalidateQueries({ queryKey: ["job", id] }), [queries, id]);
  useChanges(concerns, again, 200);
  return useQuery({
    queryKey: ["job", id],
    queryFn: ({ signal }) => getJob(id, signal),
    refetchInterval: ({ state }) => (isActive(state.data?.status) ? POLL_MS : false),
  });
}

export function JobPage({ id }: { id: string }) {
  const job = useJob(id);
  const name = job.data?.name ?? id;
  const status = job.data?.status;
  useEffect(() => {
    document.title = `${status ? `${status.toLowerCase()} · ` : ""}${name} · Waybill`;
  }, [name, status]);
  if (job.data) {
    return (
      <main className="job">
        {job.isError && <Problem what="This page is not current" problem={job.error} />}
        <JobBody job={job.data} />
      </main>
    );
  }
  return (
    <main>{job.isError ? <Missing id={id} problem={job.error} /> : <Note title="Loading the job…" />}</main>
  );
}

function Missing({ id, problem }: { id: string; problem: Error }) {
  if (problem instanceof ApiError && problem.status === 404) {
    return (
      <Note title="There is no such job">
        <code>{id}</code> was never here, or is older than jobs are kept. <Link href="/jobs">All jobs</Link>
      </Note>
    );
  }
  return <Problem what="The job can't be shown" problem={problem} />;
}

function JobBody({ job }: { job: Job }) {
  const active = isActive(job.status);
  const steps = useQuery({
    queryKey: ["job", job.id, "transitions", job.status],
    queryFn: ({ signal }) => getTransitions(job.id, signal),
    placeholderData: (old) => old,
  });
  return (
    <>
      <Head job={job} />
      <Attributes job={job} />
      {job.error && (
        <section aria-labelledby="error-title" className="panel">
          <h2 id="error-title">Error</h2>
          <pre className="error">{unturned(job.error)}</pre>
        </section>
      )}
      <Log id={job.id} attempt={job.attempt ?? 1} active={active} />
      <div className="halves">
        {steps.data && <Transitions steps={steps.data} />}
        <section aria-labelledby="context-title" className="panel">
          <div className="panel-head">
            <h2 id="context-title">Context</h2>
          </div>
          <pre className="context">{unturned(JSON.stringify(job.context ?? {}, null, 2))}</pre>
        </section>
      </div>
    </>
  );
}

function Head({ job }: { job: Job }) {
  const tags = ownTags(job);
  return (
    <header className="head">
      <p className="crumb">
        <Link href="/jobs">Jobs</Link>
      </p>
      <div className="title">
        <h1>
          <Said text={job.name ?? job.id} />
        </h1>
        <span aria-live="polite">
          <Status status={job.status} />
        </span>
        {job.status_reason && <span className="quiet">{job.status_reason}</span>}
        {isActive(job.status) && job.status !== "CANCELING" && <Cancel job={job} />}
      </div>
      {job.description && <p className="quiet">{unturned(job.description)}</p>}
      <dl className="facts">
        <Fact label="Id">
          <code>{job.id}</code> <Copy text={job.id} what="the id" />
        </Fact>
        <Fact label="User">
          <Said text={job.user ?? "–"} />
        </Fact>
        <Fact label="Command">
          <Said text={job.command_name ?? "–"} />
        </Fact>
        <Fact label="Cluster">
          <Said text={job.cluster_name ?? "–"} />
        </Fact>
        <Fact label="Duration">
          <Duration job={job} />
        </Fact>
        <Fact label="Created">
          <Time at={job.created_at} />
        </Fact>
        <Fact label="Started">
          <Time at={job.started_at} />
        </Fact>
        <Fact label="Finished">
          <Time at={job.finished_at} />
        </Fact>
        {(job.attempts ?? 1) > 1 && (
          <Fact label="Attempt">
            {job.attempt ?? 0} of {job.attempts}
          </Fact>
        )}
        {job.canceled_by && (
          <Fact label="Canceled by">
            <Said text={job.canceled_by} />
          </Fact>
        )}
        {tags.length > 0 && (
          <Fact label="Tags">
            {tags.map((tag) => (
              <span key={tag} className="tag">
                <Said text={tag} />
              </span>
            ))}
          </Fact>
        )}
      </dl>
    </header>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
