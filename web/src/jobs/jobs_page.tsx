import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { listJobs } from "../api/client";
import { useChanges, useLive } from "../api/live";
import type { JobList } from "../api/types";
import { Note, Problem } from "../ui/note";
import { isActive } from "../ui/status";
import { FilterBar } from "./filter_bar";
import { type Filters, isFiltered, jobsQuery, readFilters, writeFilters } from "./filters";
import { JobsTable } from "./jobs_table";

const ROWS = 50;
// Changes come over the live connection; without one the list is asked for again and again. What a running job
// publishes is no change of its status, so a list with one is asked for as often.
const POLL_MS = 5_000;
const RARE_POLL_MS = 30_000;

function address(filters: Filters, cursor?: string): string {
  const query = new URLSearchParams(writeFilters(filters));
  if (cursor) query.set("cursor", cursor);
  const text = query.toString();
  return text === "" ? "/jobs" : `/jobs?${text}`;
}

/** The cursors of the pages before this one, newest first; kept with the entry of the browser's history. */
function trailOf(state: unknown): string[] {
  if (typeof state !== "object" || state === null || !("trail" in state)) return [];
  return Array.isArray(state.trail) ? state.trail.map(String) : [];
}

function useJobs(filters: Filters, cursor: string) {
  const queries = useQueryClient();
  const live = useLive();
  const query = { ...jobsQuery(filters), ...(cursor === "" ? {} : { cursor }), limit: String(ROWS) };
  const all = useCallback(() => true, []);
  const again = useCallback(() => void queries.invalidateQueries({ queryKey: ["jobs"] }), [queries]);
  useChanges(all, again, 1_000);
  return useQuery({
    queryKey: ["jobs", query],
    queryFn: ({ signal }) => listJobs(query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const busy = state.data?.data.some((job) => isActive(job.status)) ?? false;
      return live && !busy ? RARE_POLL_MS : POLL_MS;
    },
  });
}

export function JobsPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => readFilters(search), [search]);
  const cursor = new URLSearchParams(search).get("cursor") ?? "";
  const jobs = useJobs(filters, cursor);
  useEffect(() => {
    document.title = "Jobs · Waybill";
  }, []);
  return (
    <main>
      <h1 className="hidden">Jobs</h1>
      <FilterBar filters={filters} onChange={(next) => navigate(address(next), { replace: true })} />
      {jobs.data ? (
        <>
          {jobs.isError && <Problem what="The list is not current" problem={jobs.error} />}
          <Rows page={jobs.data} filters={filters} cursor={cursor} />
        </>
      ) : jobs.isError ? (
        <Problem what="The jobs can't be shown" problem={jobs.error} retry={() => void jobs.refetch()} />
      ) : (
        <Note title="Loading the jobs…" />
      )}
    </main>
  );
}

function Rows({ page, filters, cursor }: { page: JobList; filters: Filters; cursor: string }) {
  if (page.data.length === 0 && !page.next_cursor && cursor === "") {
    return isFiltered(filters) ? (
      <Note title="No job matches these filters">
        Take one away, or <Link href="/jobs">show all jobs</Link>.
      </Note>
    ) : (
      <Note title="No jobs yet">
        Submit one, for example with <code>waybill submit --command type:ping --cluster type:local</code>; it
        shows up here by itself.
      </Note>
    );
  }
  return (
    <>
      {page.data.length > 0 ? <JobsTable jobs={page.data} /> : <Note title="No more jobs on this page" />}
      <Pages filters={filters} cursor={cursor} next={page.next_cursor} />
    </>
  );
}

interface PagesProps {
  filters: Filters;
  cursor: string;
  next: string | undefined;
}

function Pages({ filters, cursor, next }: PagesProps) {
  const trail = trailOf(useHistoryState());
  if (cursor === "" && !next) return null;
  const newer = trail.at(-1);
  return (
    <nav className="pages" aria-label="Pages of the list">
      {cursor !== "" && <Link href={address(filters)}>« Newest</Link>}
      {cursor !== "" && newer !== undefined && (
        <Link href={address(filters, newer)} state={{ trail: trail.slice(0, -1) }}>
          ‹ Newer
        </Link>
      )}
      {next && (
        <Link href={address(filters, next)} state={{ trail: [...trail, cursor] }}>
          Older ›
        </Link>
      )}
    </nav>
  );
}
