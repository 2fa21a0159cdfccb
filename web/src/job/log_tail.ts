import { type LogStream, readLog } from "../api/client";

// As much of a log's end as a page shows; the whole is one click away.
export const KEPT_BYTES = 256 * 1024;
const FAR = Number.MAX_SAFE_INTEGER;

/** The end of a log as text, read on from where it stopped. */
export class LogTail {
  text = "";
  /** Bytes before what is shown. */
  left = 0;
  private next = -1;
  private decoder = new TextDecoder();

  constructor(
    private readonly id: string,
    private readonly stream: LogStream,
  ) {}

  /** Reads what is new; true if there was anything. */
  async read(signal: AbortSignal): Promise<boolean> {
    if (this.next < 0) await this.begin(signal);
    const { bytes, size } = await readLog(this.id, this.stream, this.next, signal);
    if (size < this.next) {
      this.next = -1; // another attempt has begun another log
      this.text = "";
      return true;
    }
    this.next = size;
    if (bytes.length === 0) return false;
    this.keep(this.text + this.decoder.decode(bytes, { stream: true }));
    return true;
  }

  // A log may be huge: its size first, then only the end of it.
  private async begin(signal: AbortSignal): Promise<void> {
    const { size } = await readLog(this.id, this.stream, FAR, signal);
    this.left = Math.max(0, size - KEPT_BYTES);
    this.next = this.left;
    this.decoder = new TextDecoder();
  }

  private keep(text: string): void {
    this.text = text;
    if (text.length <= 2 * KEPT_BYTES) return;
    const dropped = text.slice(0, -KEPT_BYTES);
    this.left += new TextEncoder().encode(dropped).length;
    this.text = text.slice(-KEPT_BYTES);
  }
}
