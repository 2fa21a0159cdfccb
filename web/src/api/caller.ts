const KEY = "waybill.caller";

/** The name that the reader typed; "" where a proxy says who it is, or nobody was asked yet. */
export function callerName(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return ""; // storage is switched off
  }
}

export function setCallerName(name: string): void {
  try {
    if (name === "") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, name);
  } catch {
    // Storage is switched off: the name is asked for again next time.
  }
}

/** Header values are printable ASCII; anything else never leaves the browser. */
export function isCallerName(name: string): boolean {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name);
}
