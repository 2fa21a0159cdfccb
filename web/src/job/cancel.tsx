import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { callerName, isCallerName, setCallerName } from "../api/caller";
import { ApiError, cancelJob } from "../api/client";
import type { Job } from "../api/types";
import { Said } from "../ui/said";

/** A button that asks before it cancels, and for a name where no proxy says who the reader is. */
export function Cancel({ job }: { job: Job }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState(callerName);
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelJob(job.id),
    onSuccess: () => dialog.current?.close(),
    onSettled: () => queries.invalidateQueries({ queryKey: ["job", job.id] }),
  });
  const wrongName = name.trim() !== "" && !isCallerName(name.trim());
  return (
    <>
      <button
        type="button"
        className="danger"
        onClick={() => {
          cancel.reset();
          dialog.current?.showModal();
        }}
      >
        Cancel job
      </button>
      <dialog ref={dialog} aria-labelledby="cancel-title">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setCallerName(name.trim());
            cancel.mutate();
          }}
        >
          <h2 id="cancel-title">Cancel this job?</h2>
          <p>
            <Said text={job.name ?? job.id} /> is ended where it runs. That can't be undone.
          </p>
          <label>
            Your name
            <input
              value={name}
              onChange={(event) => setName(event.target.value)}
              autoComplete="username"
              spellCheck={false}
              aria-describedby="cancel-hint"
              aria-invalid={wrongName}
            />
          </label>
          <p id="cancel-hint" className="quiet">
            {wrongName
              ? "A name here has only ASCII letters, digits, signs and spaces."
              : "Sent as X-Heimdall-User and kept in this browser. Leave it empty where you signed in."}
          </p>
          {cancel.isError && (
            <p className="bad" role="alert">
              {refusal(cancel.error)}
            </p>
          )}
          <div className="actions">
            <button type="button" onClick={() => dialog.current?.close()}>
              Keep it running
            </button>
            <button type="submit" className="danger" disabled={cancel.isPending || wrongName}>
              {cancel.isPending ? "Canceling…" : "Cancel the job"}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}

function refusal(problem: Error): string {
  if (problem instanceof ApiError && problem.status === 401)
    return "The server needs to know who asks: fill in your name.";
  return `Not canceled: ${problem.message}.`;
}
