import type { Attribute, Job, JobStatus } from "../api/types";
import { isActive } from "../ui/status";

export interface Shown {
  label: string;
  value: string;
  /** The address of a link; absent: the value is text. */
  href?: string;
}

/** Only absolute http(s) addresses become links, whatever a server says they are. */
export function safeAddress(value: string): string | undefined {
  if (!/^https?:\/\//i.test(value)) return undefined;
  try {
    const url = new URL(value);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function isWanted(show: string | undefined, status: JobStatus): boolean {
  if (show === "running") return isActive(status);
  if (show === "finished") return !isActive(status);
  if (show === "failed") return status === "FAILED" || status === "KILLED";
  return true;
}

function shown(label: string, attribute: Attribute): Shown {
  const value = attribute.value ?? "";
  const href = attribute.kind === "link" ? safeAddress(value) : undefined;
  return href === undefined ? { label, value } : { label, value, href };
}

/** A job's attributes for a reader now: those that want to be seen in its status, as the config orders them. */
export function shownAttributes(job: Pick<Job, "status" | "extra_job_attributes">): Shown[] {
  return Object.entries(job.extra_job_attributes ?? {})
    .filter(([, attribute]) => isWanted(attribute.show, job.status))
    .sort(([a, x], [b, y]) => (x.position ?? 0) - (y.position ?? 0) || (a < b ? -1 : 1))
    .map(([label, attribute]) => shown(label, attribute));
}
