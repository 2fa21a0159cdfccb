// One connection for server-sent events in a browser, however many tabs are open: browsers keep at most six to a
// server. The tab that holds the lock listens and tells the others. Pages poll more often while nobody listens.

import { useEffect, useSyncExternalStore } from "react";

const NAME = "waybill.events";
const RETRY_MS = 10_000;

/** `id` is absent when anything may have changed: events were missed. */
export interface Change {
  id?: string;
}

type Message = { kind: "change"; change: Change } | { kind: "live"; live: boolean } | { kind: "who" };

export class LiveEvents {
  private readonly listeners = new Set<(change: Change) => void>();
  private readonly watchers = new Set<() => void>();
  private readonly channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(NAME);
  private leading = false;
  private live = false;

  start(): void {
    this.channel?.addEventListener("message", (event: MessageEvent<Message>) => this.hear(event.data));
    this.tell({ kind: "who" });
    // Locks exist only where the page is at home or came over TLS; elsewhere each tab listens by itself.
    if (!navigator.locks || !this.channel) {
      this.listen();
      return;
    }
    void navigator.locks.request(NAME, () => {
      this.leading = true;
      this.listen();
      return new Promise<never>(() => {}); // until the tab is closed
    });
  }

  isLive = (): boolean => this.live;

  watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  onChange(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private listen(): void {
    const source = new EventSource("/api/v1/events");
    source.onopen = () => this.setLive(true);
    source.onerror = () => {
      this.setLive(false);
      if (source.readyState !== EventSource.CLOSED) return; // it comes back by itself
      source.close();
      setTimeout(() => {
        this.publish({});
        this.listen();
      }, RETRY_MS);
    };
    source.addEventListener("job", (event) => this.publish(changeOf(event.data)));
    source.addEventListener("reset", () => this.publish({}));
  }

  private hear(message: Message): void {
    if (message.kind === "change") this.emit(message.change);
    else if (message.kind === "live") this.keepLive(message.live);
    else if (this.leading) this.tell({ kind: "live", live: this.live });
  }

  private tell(message: Message): void {
    this.channel?.postMessage(message);
  }

  private publish(change: Change): void {
    this.emit(change);
    if (this.leading) this.tell({ kind: "change", change });
  }

  private setLive(live: boolean): void {
    this.keepLive(live);
    if (this.leading) this.tell({ kind: "live", live });
  }

  private keepLive(live: boolean): void {
    if (this.live === live) return;
    this.live = live;
    for (const watcher of this.watchers) watcher();
  }

  private emit(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }
}

export function changeOf(data: string): Change {
  try {
    const body: unknown = JSON.parse(data);
    if (typeof body === "object" && body !== null && "id" in body) return { id: String(body.id) };
  } catch {
    // Not what this page knows: anything may have changed.
  }
  return {};
}

export const liveEvents = new LiveEvents();

export function useLive(): boolean {
  return useSyncExternalStore(liveEvents.watch, liveEvents.isLive);
}

/** Calls `react` at most once in `everyMs`, however many changes come; the last one is never lost. */
export function useChanges(concerns: (change: Change) => boolean, react: () => void, everyMs: number): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    const stop = liveEvents.onChange((change) => {
      if (timer !== undefined || !concerns(change)) return;
      const wait = Math.max(0, last + everyMs - Date.now());
      timer = setTimeout(() => {
        timer = undefined;
        last = Date.now();
        react();
      }, wait);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [concerns, react, everyMs]);
}
