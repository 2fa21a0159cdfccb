import { afterEach, describe, expect, it, vi } from "vitest";
import { KEPT_BYTES, LogTail } from "./log_tail";

/** A server whose log can grow; answers as GET /job/{id}/stdout?offset= does. */
function serve(log: { bytes: Uint8Array<ArrayBuffer> }): void {
  vi.stubGlobal("fetch", (address: string) => {
    const offset = Number(new URL(address, "http://server").searchParams.get("offset"));
    const body = log.bytes.slice(Math.min(offset, log.bytes.length));
    return Promise.resolve(new Response(body, { headers: { "X-Log-Size": String(log.bytes.length) } }));
  });
}

const encode = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const { signal } = new AbortController();

afterEach(() => vi.unstubAllGlobals());

describe("LogTail", () => {
  it("reads on where it stopped", async () => {
    const log = { bytes: encode("one\n") };
    serve(log);
    const tail = new LogTail("id", "stdout");
    expect(await tail.read(signal)).toBe(true);
    expect(await tail.read(signal)).toBe(false);
    log.bytes = encode("one\ntwo\n");
    expect(await tail.read(signal)).toBe(true);
    expect(tail.text).toBe("one\ntwo\n");
    expect(tail.left).toBe(0);
  });

  it("puts a character together that came in two parts", async () => {
    const whole = encode("5 €\n");
    const log = { bytes: whole.slice(0, 4) };
    serve(log);
    const tail = new LogTail("id", "stdout");
    await tail.read(signal);
    log.bytes = whole;
    await tail.read(signal);
    expect(tail.text).toBe("5 €\n");
  });

  it("shows the end of a long log and says how much comes before", async () => {
    const log = { bytes: encode(`${"x".repeat(KEPT_BYTES)}the end`) };
    serve(log);
    const tail = new LogTail("id", "stdout");
    await tail.read(signal);
    expect(tail.left).toBe(7);
    expect(tail.text.length).toBe(KEPT_BYTES);
    expect(tail.text.endsWith("the end")).toBe(true);
  });

  it("keeps no more than it must of a log that grows on", async () => {
    const log = { bytes: encode("a") };
    serve(log);
    const tail = new LogTail("id", "stdout");
    await tail.read(signal);
    log.bytes = encode(`a${"é".repeat(2 * KEPT_BYTES)}`);
    await tail.read(signal);
    expect(tail.text.length).toBe(KEPT_BYTES);
    expect(tail.left).toBe(1 + 2 * KEPT_BYTES);
  });

  it("begins anew where another attempt has begun another log", async () => {
    const log = { bytes: encode("first attempt") };
    serve(log);
    const tail = new LogTail("id", "stdout");
    await tail.read(signal);
    log.bytes = encode("2nd");
    while (await tail.read(signal));
    expect(tail.text).toBe("2nd");
  });

  it("tells what the server refused", async () => {
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ error: "no such job" }, { status: 404 })));
    await expect(new LogTail("id", "stdout").read(signal)).rejects.toThrow("no such job");
  });
});
