import { describe, expect, it } from "vitest";
import type { JobStatus } from "../api/types";
import { safeAddress, shownAttributes } from "./attribute_rules";

describe("safeAddress", () => {
  it.each([
    ["https://history.example.com/app-1?x=1#y", "https://history.example.com/app-1?x=1#y"],
    ["http://10.0.0.1:4040", "http://10.0.0.1:4040/"],
    ["HTTPS://history.example.com/", "https://history.example.com/"],
  ])("takes %s", (value, address) => {
    expect(safeAddress(value)).toBe(address);
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "//evil.example.com",
    "/relative",
    "https:evil.example.com",
    "https://",
    "http://[",
    " https://leading.example.com",
    "",
  ])("refuses %j", (value) => {
    expect(safeAddress(value)).toBeUndefined();
  });
});

const shown = (
  status: JobStatus,
  attributes: Parameters<typeof shownAttributes>[0]["extra_job_attributes"],
) => shownAttributes(attributes === undefined ? { status } : { status, extra_job_attributes: attributes });

describe("shownAttributes", () => {
  it("makes links of links alone", () => {
    expect(
      shown("RUNNING", {
        UI: { kind: "link", value: "https://ui.example.com/" },
        Note: { kind: "text", value: "https://not.a/link" },
        Bare: { value: "https://no.kind/" },
        Odd: { kind: "html", value: "<b>x</b>" },
        Bad: { kind: "link", value: "javascript:alert(1)" },
      } as never),
    ).toEqual([
      { label: "Bad", value: "javascript:alert(1)" },
      { label: "Bare", value: "https://no.kind/" },
      { label: "Note", value: "https://not.a/link" },
      { label: "Odd", value: "<b>x</b>" },
      { label: "UI", value: "https://ui.example.com/", href: "https://ui.example.com/" },
    ]);
  });

  it("keeps the order of the config", () => {
    const labels = shown("SUCCEEDED", {
      Zebra: { kind: "text", value: "1" },
      Apple: { kind: "text", value: "3", position: 2 },
      Middle: { kind: "text", value: "2", position: 1 },
    }).map(({ label }) => label);
    expect(labels).toEqual(["Zebra", "Middle", "Apple"]);
  });

  it.each<[JobStatus, string[]]>([
    ["NEW", ["always", "running", "none"]],
    ["ACCEPTED", ["always", "running", "none"]],
    ["RUNNING", ["always", "running", "none"]],
    ["CANCELING", ["always", "running", "none"]],
    ["SUCCEEDED", ["always", "finished", "none"]],
    ["CANCELED", ["always", "finished", "none"]],
    ["FAILED", ["always", "failed", "finished", "none"]],
    ["KILLED", ["always", "failed", "finished", "none"]],
  ])("of a job that is %s shows what wants to be seen then", (status, labels) => {
    const all = shown(status, {
      always: { value: "1", show: "always" },
      running: { value: "1", show: "running" },
      finished: { value: "1", show: "finished" },
      failed: { value: "1", show: "failed" },
      none: { value: "1" },
    } as never);
    expect(all.map(({ label }) => label)).toEqual([...labels].sort());
  });

  it("of a job without attributes shows none", () => {
    expect(shown("NEW", undefined)).toEqual([]);
  });
});
