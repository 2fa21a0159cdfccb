import type { ReactNode } from "react";
import type { JobStatus } from "../api/types";

const ACTIVE: ReadonlySet<string> = new Set(["NEW", "ACCEPTED", "RUNNING", "CANCELING"]);

export const STATUSES: readonly JobStatus[] = [
  "NEW",
  "ACCEPTED",
  "RUNNING",
  "SUCCEEDED",
  "FAILED",
  "KILLED",
  "CANCELING",
  "CANCELED",
];

export function isActive(status: JobStatus | undefined): boolean {
  return status !== undefined && ACTIVE.has(status);
}

// One shape a status, so that colour says nothing alone.
const SHAPES: Record<JobStatus, ReactNode> = {
  NEW: <circle cx="8" cy="8" r="5.5" className="line" strokeDasharray="2.2 2.2" />,
  ACCEPTED: <circle cx="8" cy="8" r="5.5" className="line" />,
  RUNNING: (
    <>
      <circle cx="8" cy="8" r="5.5" className="line faint" />
      <path d="M8 2.5a5.5 5.5 0 0 1 5.5 5.5" className="line turning" />
      <circle cx="8" cy="8" r="2" className="fill" />
    </>
  ),
  SUCCEEDED: (
    <>
      <circle cx="8" cy="8" r="6.5" className="fill" />
      <path d="m5 8.2 2.1 2.1L11 6" className="cut" />
    </>
  ),
  FAILED: (
    <>
      <path d="M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3z" className="fill" />
      <path d="m5.7 5.7 4.6 4.6m0-4.6-4.6 4.6" className="cut" />
    </>
  ),
  KILLED: (
    <>
      <path d="M8 1.2 15 14H1z" className="fill" />
      <path d="M8 6v3.6m0 1.9v.4" className="cut" />
    </>
  ),
  CANCELING: (
    <>
      <rect x="2.5" y="2.5" width="11" height="11" rx="2" className="line" strokeDasharray="2.2 2.2" />
      <path d="M5.5 8h5" className="line" />
    </>
  ),
  CANCELED: (
    <>
      <rect x="2.5" y="2.5" width="11" height="11" rx="2" className="line" />
      <path d="M5.5 8h5" className="line" />
    </>
  ),
};

export function Status({ status }: { status: JobStatus | undefined }) {
  if (status === undefined) return null;
  return (
    <span className={`status ${status.toLowerCase()}`}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {SHAPES[status]}
      </svg>
      {status.charAt(0) + status.slice(1).toLowerCase()}
    </span>
  );
}
