import { useEffect } from "react";
import { useLocation } from "wouter";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

/** Moves the focus among the links marked data-row, so that Enter opens and middle click works as ever. */
function moveRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by;
  rows[next]?.focus();
}

/** `/` search, `j` and `k` down and up the rows, `g j` the jobs, Escape leaves a field. */
export function useKeys(): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let going = false;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (isTyping(event.target)) {
        if (event.key === "Escape") (event.target as HTMLElement).blur();
        return;
      }
      if (going && event.key === "j") navigate("/jobs");
      else if (event.key === "j") moveRow(1);
      else if (event.key === "k") moveRow(-1);
      else if (event.key === "/") {
        document.querySelector<HTMLElement>("[data-search]")?.focus();
        event.preventDefault();
      }
      going = event.key === "g";
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [navigate]);
}
