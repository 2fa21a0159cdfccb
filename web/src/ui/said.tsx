/**
 * Embeddings and overrides turn text around: with one, "gpj.exe" reads "exe.jpg". They are no use in a name or a value
 * and become a mark.
 */
export function unturned(text: string): string {
  return text.replace(/[\u202a-\u202e]/g, "\ufffd");
}

/** What somebody else wrote: it changes the direction of nothing around it, nor its own unseen. */
export function Said({ text }: { text: string | undefined }) {
  return text === undefined ? null : <bdi>{unturned(text)}</bdi>;
}
