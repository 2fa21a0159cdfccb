import { useEffect, useRef, useState } from "react";
import { STATUSES, Status } from "../ui/status";
import { type Filters, isFiltered, NO_FILTERS, writeFilters } from "./filters";

const TYPING_PAUSE_MS = 300;

interface Field {
  name: "name" | "user" | "tags";
  label: string;
  hint: string;
}

const FIELDS: readonly Field[] = [
  { name: "name", label: "Name", hint: "prefix, or *part" },
  { name: "user", label: "User", hint: "prefix" },
  { name: "tags", label: "Tags", hint: "team:a, env:prod" },
];

interface Props {
  filters: Filters;
  onChange: (filters: Filters) => void;
}

export function FilterBar({ filters, onChange }: Props) {
  return (
    <search className="filters">
      <fieldset className="statuses">
        <legend className="hidden">Status</legend>
        {STATUSES.map((status) => (
          <label key={status} className={filters.status.includes(status) ? "chip on" : "chip"}>
            <input
              type="checkbox"
              className="hidden"
              checked={filters.status.includes(status)}
              onChange={(event) => {
                const others = filters.status.filter((word) => word !== status);
                onChange({ ...filters, status: event.target.checked ? [...others, status] : others });
              }}
            />
            <Status status={status} />
          </label>
        ))}
      </fieldset>
      <TextFields filters={filters} onChange={onChange} />
      {isFiltered(filters) && (
        <button type="button" className="small" onClick={() => onChange(NO_FILTERS)}>
          Clear filters
        </button>
      )}
    </search>
  );
}

/** What is typed counts after a short pause, or at once with Enter. */
function TextFields({ filters, onChange }: Props) {
  const [draft, setDraft] = useState(filters);
  const sent = useRef(writeFilters(filters));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const address = writeFilters(filters);
  useEffect(() => {
    // The back button, or a status: the fields follow the address, but not the echo of what is being typed.
    if (address === sent.current) return;
    sent.current = address;
    setDraft(filters);
  }, [address, filters]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const send = (next: Filters) => {
    clearTimeout(timer.current);
    const whole = { ...next, status: filters.status };
    sent.current = writeFilters(whole);
    if (sent.current !== address) onChange(whole);
  };
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        send(draft);
      }}
    >
      {FIELDS.map(({ name, label, hint }) => (
        <label key={name}>
          {label}
          <input
            type="search"
            name={name}
            value={draft[name]}
            placeholder={hint}
            autoComplete="off"
            spellCheck={false}
            data-search={name === "name" ? "" : undefined}
            onChange={(event) => {
              const next = { ...draft, [name]: event.target.value };
              setDraft(next);
              clearTimeout(timer.current);
              timer.current = setTimeout(() => send(next), TYPING_PAUSE_MS);
            }}
          />
        </label>
      ))}
    </form>
  );
}
