import createClient, { type Middleware } from "openapi-fetch";
import { callerName } from "./caller";
import type { paths } from "./schema";
import type { Job, JobList, Transition } from "./types";

/** What the server, or the way to it, answered instead of what was asked for. `status` 0: no answer came. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

// A call that changes something says who asks, where no proxy says it.
const nameCaller: Middleware = {
  onRequest({ request }) {
    const name = callerName();
    if (request.method !== "GET" && name !== "") request.headers.set("X-Heimdall-User", name);
    return request;
  },
};

const client = createClient<paths, "application/json">({ baseUrl: "" });
client.use(nameCaller);

interface Outcome<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

function refusalText(refusal: unknown, response: Response): string {
  if (typeof refusal === "object" && refusal !== null && "error" in refusal) return String(refusal.error);
  return `the server answered ${response.status}`;
}

async function unwrapped<Data>(asked: Promise<Outcome<Data>>): Promise<Data> {
  let outcome: Outcome<Data>;
  try {
    outcome = await asked;
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    throw new ApiError(0, "the server can't be reached");
  }
  if (outcome.data !== undefined) return outcome.data;
  throw new ApiError(outcome.response.status, refusalText(outcome.error, outcome.response));
}

export interface JobsQuery {
  status?: string;
  name?: string;
  username?: string;
  tags?: string;
  cursor?: string;
  limit: string;
}

export function listJobs(query: JobsQuery, signal: AbortSignal): Promise<JobList> {
  return unwrapped(client.GET("/api/v1/jobs", { params: { query }, signal }));
}

export function getJob(id: string, signal: AbortSignal): Promise<Job> {
  return unwrapped(client.GET("/api/v1/job/{id}", { params: { path: { id } }, signal }));
}

export async function getTransitions(id: string, signal: AbortSignal): Promise<Transition[]> {
  const answer = await unwrapped(client.GET("/api/v1/job/{id}/events", { params: { path: { id } }, signal }));
  return answer.data;
}

export async function cancelJob(id: string): Promise<void> {
  await unwrapped(client.POST("/api/v1/job/{id}/cancel", { params: { path: { id } } }));
}

export type LogStream = "stdout" | "stderr";

export function logAddress(id: string, stream: LogStream): string {
  return `/api/v1/job/${encodeURIComponent(id)}/${stream}`;
}

/** The bytes of a log from `offset` on, and where the next ones begin. */
export async function readLog(id: string, stream: LogStream, offset: number, signal: AbortSignal) {
  let response: Response;
  try {
    response = await fetch(`${logAddress(id, stream)}?offset=${offset}`, { signal });
  } catch (problem) {
    if (signal.aborted) throw problem;
    throw new ApiError(0, "the server can't be reached");
  }
  if (!response.ok) {
    const refusal: unknown = await response.json().catch(() => undefined);
    throw new ApiError(response.status, refusalText(refusal, response));
  }
  const size = Number(response.headers.get("X-Log-Size") ?? 0);
  return { bytes: new Uint8Array(await response.arrayBuffer()), size };
}
