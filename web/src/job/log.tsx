import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { type LogStream, logAddress } from "../api/client";
import { LogTail } from "./log_tail";

const POLL_MS = 1_000;

interface Tail {
  text: string;
  left: number;
  problem: string;
  read: boolean;
}

const EMPTY: Tail = { text: "", left: 0, problem: "", read: false };

/** Of one log: who wants another's uses another component (its key). */
function useLogTail(id: string, stream: LogStream, active: boolean): Tail {
  const [log] = useState(() => new LogTail(id, stream));
  const [tail, setTail] = useState(EMPTY);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const step = async () => {
      try {
        let more = true;
        while (more) {
          more = await log.read(stop.signal);
          setTail({ text: log.text, left: log.left, problem: "", read: true });
        }
      } catch (problem) {
        if (stop.signal.aborted) return;
        setTail((old) => ({ ...old, problem: String(problem instanceof Error ? problem.message : problem) }));
      }
      // Once more after the end, for what was written before it: this effect begins anew when `active` changes.
      if (active) timer = setTimeout(() => void step(), POLL_MS);
    };
    void step();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [log, active]);
  return tail;
}

export function Log({ id, attempt, active }: { id: string; attempt: number; active: boolean }) {
  const [stream, setStream] = useState<LogStream>("stdout");
  const [following, setFollowing] = useState(true);
  return (
    <section aria-labelledby="log-title" className="panel">
      <div className="panel-head">
        <h2 id="log-title">Log</h2>
        <fieldset className="choice">
          <legend className="hidden">Stream</legend>
          {(["stdout", "stderr"] as const).map((name) => (
            <label key={name} className={stream === name ? "chip on" : "chip"}>
              <input
                type="radio"
                name="stream"
                className="hidden"
                checked={stream === name}
                onChange={() => setStream(name)}
              />
              {name}
            </label>
          ))}
        </fieldset>
        <label className="check">
          <input
            type="checkbox"
            checked={following}
            onChange={(event) => setFollowing(event.target.checked)}
          />
          Follow
        </label>
        <a href={logAddress(id, stream)} className="end">
          Whole log
        </a>
      </div>
      <LogText
        key={`${stream}.${attempt}`}
        id={id}
        stream={stream}
        active={active}
        following={following}
        setFollowing={setFollowing}
      />
    </section>
  );
}

interface LogTextProps {
  id: string;
  stream: LogStream;
  active: boolean;
  following: boolean;
  setFollowing: (following: boolean) => void;
}

function LogText({ id, stream, active, following, setFollowing }: LogTextProps) {
  const tail = useLogTail(id, stream, active);
  const box = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new text is a reason to scroll
  useLayoutEffect(() => {
    if (following && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [tail.text, following]);
  const onScroll = () => {
    const at = box.current;
    if (!at) return;
    const atEnd = at.scrollHeight - at.scrollTop - at.clientHeight < 8;
    if (atEnd !== following) setFollowing(atEnd);
  };
  return (
    <>
      {tail.problem !== "" && (
        <p className="quiet bad" role="alert">
          The log can't be read: {tail.problem}.
        </p>
      )}
      {tail.left > 0 && (
        <p className="quiet">The end of the log; {tail.left.toLocaleString("en")} bytes come before.</p>
      )}
      {tail.text === "" ? (
        <p className="quiet">{emptyText(tail.read, active, stream)}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section ref={box} className="log" tabIndex={0} aria-label={stream} onScroll={onScroll}>
          <pre>{tail.text}</pre>
        </section>
      )}
    </>
  );
}

function emptyText(read: boolean, active: boolean, stream: LogStream): string {
  if (!read) return "Loading…";
  return active ? `Nothing on ${stream} yet.` : `The job wrote nothing to ${stream}.`;
}
