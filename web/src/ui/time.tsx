import { useEffect, useState } from "react";
import type { Job } from "../api/types";
import { isActive } from "./status";

const two = (n: number) => String(n).padStart(2, "0");

/** Local time, always as wide: 2026-11-30 09:05:07. */
export function timeText(time: Date): string {
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return wholeSecondsText(ms);
}

function wholeSecondsText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${two(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${two(minutes % 60)} m`;
  return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
}

/** Unix seconds or RFC 3339. */
export function Time({ at }: { at: number | string | undefined }) {
  if (at === undefined) return <span className="none">–</span>;
  const time = new Date(typeof at === "number" ? at * 1000 : at);
  if (Number.isNaN(time.getTime())) return <span>{String(at)}</span>;
  return (
    <time dateTime={time.toISOString()} title={`${time.toISOString()} (shown in local time)`}>
      {timeText(time)}
    </time>
  );
}

function useNow(ticking: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!ticking) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}

/** From start to end; ticks while the job runs. */
export function Duration({ job }: { job: Job }) {
  const ticking = job.started_at !== undefined && isActive(job.status);
  const now = useNow(ticking);
  // 0 is left out of answers.
  const ran = job.started_at !== undefined && job.finished_at !== undefined ? 0 : undefined;
  const duration = job.duration_ms ?? ran;
  if (duration !== undefined) return <span title={`${duration} ms`}>{durationText(duration)}</span>;
  if (!ticking || job.started_at === undefined) return <span className="none">–</span>;
  return <span>{wholeSecondsText(now - Date.parse(job.started_at))}</span>;
}
