import { useEffect, useState } from "react";

/** Copies the text; says so for a moment. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  // The clipboard is there only where the page is at home or came over TLS; the text can be selected anywhere.
  if (!navigator.clipboard) return null;
  return (
    <button
      type="button"
      className="small"
      aria-label={`Copy ${what}`}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}
    >
      {done ? "copied" : "copy"}
    </button>
  );
}
