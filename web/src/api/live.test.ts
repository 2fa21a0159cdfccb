import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Change, changeOf, LiveEvents } from "./live";

// A browser of several tabs: one bus between them, one lock, and the connections that they opened.
type Listener = (event: { data: unknown }) => void;

class Bus {
  private static all = new Set<Bus>();
  private readonly listeners: Listener[] = [];
  constructor() {
    Bus.all.add(this);
  }
  static clear() {
    Bus.all.clear();
  }
  addEventListener(_: string, listener: Listener) {
    this.listeners.push(listener);
  }
  postMessage(data: unknown) {
    for (const other of Bus.all)
      if (other !== this) for (const listener of other.listeners) listener({ data });
  }
}

class Source {
  static readonly CLOSED = 2;
  static opened: Source[] = [];
  readyState = 1;
  onopen = () => {};
  onerror = () => {};
  private readonly listeners = new Map<string, (event: { data: string }) => void>();
  constructor(readonly url: string) {
    Source.opened.push(this);
  }
  addEventListener(kind: string, listener: (event: { data: string }) => void) {
    this.listeners.set(kind, listener);
  }
  send(kind: string, data: string) {
    this.listeners.get(kind)?.({ data });
  }
  close() {
    this.readyState = Source.CLOSED;
  }
}

/** Held by the tab that asked first; freeLock() is that tab's end. */
const waiting: (() => unknown)[] = [];
function request(_: string, hold: () => unknown) {
  waiting.push(hold);
  if (waiting.length === 1) hold();
}
function freeLock() {
  waiting.shift();
  waiting[0]?.();
}

function opened(at: number): Source {
  const source = Source.opened[at];
  if (source === undefined) throw new Error(`there is no connection ${at}`);
  return source;
}

function tab() {
  const events = new LiveEvents();
  const heard: Change[] = [];
  events.onChange((change) => heard.push(change));
  events.start();
  return { events, heard };
}

beforeEach(() => {
  vi.useFakeTimers();
  Bus.clear();
  Source.opened = [];
  waiting.length = 0;
  vi.stubGlobal("BroadcastChannel", Bus);
  vi.stubGlobal("EventSource", Source);
  vi.stubGlobal("navigator", { locks: { request } });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("tabs of one browser", () => {
  it("share one connection and hear every change", () => {
    const tabs = [tab(), tab(), tab()];
    expect(Source.opened.map(({ url }) => url)).toEqual(["/api/v1/events"]);
    opened(0).onopen();
    opened(0).send("job", '{"id":"j1"}');
    for (const { events, heard } of tabs) {
      expect(events.isLive()).toBe(true);
      expect(heard).toEqual([{ id: "j1" }]);
    }
  });

  it("that come later learn whether the connection is there", () => {
    tab();
    opened(0).onopen();
    expect(tab().events.isLive()).toBe(true);
  });

  it("follow another when the one that listens is closed", () => {
    tab();
    const second = tab();
    opened(0).onopen();
    freeLock();
    expect(Source.opened).toHaveLength(2);
    opened(1).onopen();
    opened(1).send("job", '{"id":"j2"}');
    expect(second.heard).toEqual([{ id: "j2" }]);
  });

  it("listen each for itself where there is no lock, as on a page without TLS", () => {
    vi.stubGlobal("navigator", {});
    const [first, second] = [tab(), tab()];
    expect(Source.opened).toHaveLength(2);
    opened(0).onopen();
    opened(0).send("job", '{"id":"j1"}');
    expect(first.heard).toEqual([{ id: "j1" }]);
    expect(second.heard).toEqual([]);
    expect(second.events.isLive()).toBe(false);
  });
});

describe("a connection", () => {
  it("that breaks is not live in any tab until it is back", () => {
    const tabs = [tab(), tab()];
    opened(0).onopen();
    opened(0).onerror();
    expect(tabs.map(({ events }) => events.isLive())).toEqual([false, false]);
    opened(0).onopen();
    expect(tabs.map(({ events }) => events.isLive())).toEqual([true, true]);
  });

  it("that the browser gave up is opened again, and anything may have changed", () => {
    const { heard } = tab();
    opened(0).readyState = Source.CLOSED;
    opened(0).onerror();
    expect(Source.opened).toHaveLength(1);
    vi.runOnlyPendingTimers();
    expect(Source.opened).toHaveLength(2);
    expect(heard).toEqual([{}]);
  });

  it("whose past is lost says that anything may have changed", () => {
    const { heard } = tab();
    opened(0).send("reset", "");
    expect(heard).toEqual([{}]);
  });
});

describe("changeOf", () => {
  it.each([
    ['{"id":"j1","to":"RUNNING"}', { id: "j1" }],
    ["{}", {}],
    ["null", {}],
    ["not JSON", {}],
  ])("of %s", (data, change) => {
    expect(changeOf(data)).toEqual(change);
  });
});
