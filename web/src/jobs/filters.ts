import { STATUSES } from "../ui/status";

/** What the address of the list says: /ui/jobs?status=FAILED&user=alice. */
export interface Filters {
  status: string[];
  name: string;
  user: string;
  tags: string;
}

export const NO_FILTERS: Filters = { status: [], name: "", user: "", tags: "" };

export function readFilters(search: string): Filters {
  const query = new URLSearchParams(search);
  const known: readonly string[] = STATUSES;
  return {
    status: (query.get("status") ?? "").split(",").filter((word) => known.includes(word)),
    name: query.get("name") ?? "",
    user: query.get("user") ?? "",
    tags: query.get("tags") ?? "",
  };
}

export function writeFilters(filters: Filters): string {
  const query = new URLSearchParams();
  if (filters.status.length > 0) query.set("status", filters.status.join(","));
  for (const name of ["name", "user", "tags"] as const) {
    if (filters[name].trim() !== "") query.set(name, filters[name].trim());
  }
  return query.toString();
}

export function isFiltered(filters: Filters): boolean {
  return writeFilters(filters) !== "";
}

/**
 * The pattern of a text field: what begins with the text; `*` stands for anything. The server's patterns are SQL's, and
 * a prefix is what it finds fast at any size.
 */
export function patternOf(text: string): string {
  const escaped = text.trim().replace(/[\\%_]/g, "\\$&");
  return escaped.includes("*") ? escaped.replaceAll("*", "%") : `${escaped}%`;
}

export function jobsQuery(filters: Filters): Record<string, string> {
  const query: Record<string, string> = {};
  if (filters.status.length > 0) query.status = filters.status.join(",");
  if (filters.name.trim() !== "") query.name = patternOf(filters.name);
  if (filters.user.trim() !== "") query.username = patternOf(filters.user);
  if (filters.tags.trim() !== "") query.tags = filters.tags.trim();
  return query;
}
