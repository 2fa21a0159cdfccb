import type { ReactNode } from "react";
import { ApiError } from "../api/client";

/** What a page says instead of data: why there is none, and what to do. */
export function Note({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="note" role="status">
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

function advice(problem: unknown): string {
  if (!(problem instanceof ApiError)) return "";
  if (problem.status === 0) return "It is asked again every few seconds; check that the server runs.";
  if (problem.status === 401 || problem.status === 403) return "Sign in through the proxy, or ask an admin.";
  if (problem.status === 400) return "Change the filters and try again.";
  return "";
}

export function Problem({ what, problem, retry }: { what: string; problem: unknown; retry?: () => void }) {
  const said = problem instanceof Error ? problem.message : String(problem);
  const text = said.charAt(0).toUpperCase() + said.slice(1);
  return (
    <div className="note bad" role="alert">
      <h2>{what}</h2>
      <p>
        {text}. {advice(problem)}
      </p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
