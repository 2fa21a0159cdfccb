import { describe, expect, it } from "vitest";
import { isFiltered, jobsQuery, NO_FILTERS, patternOf, readFilters, writeFilters } from "./filters";

describe("filters in the address", () => {
  it("come back as they were written", () => {
    const filters = {
      status: ["FAILED", "RUNNING"],
      name: "50% & more",
      user: "ann",
      tags: "team:a, env:prod",
    };
    expect(readFilters(writeFilters(filters))).toEqual(filters);
  });

  it("drop words that are no status", () => {
    expect(readFilters("?status=FAILED,failed,,DROP TABLE").status).toEqual(["FAILED"]);
  });

  it("of blanks are none", () => {
    expect(isFiltered({ ...NO_FILTERS, name: "  " })).toBe(false);
    expect(writeFilters(NO_FILTERS)).toBe("");
  });
});

describe("patternOf", () => {
  it.each([
    ["daily", "daily%"],
    [" daily ", "daily%"],
    ["*load", "%load"],
    ["a*b", "a%b"],
    ["50%", "50\\%%"],
    ["a_b", "a\\_b%"],
    ["a\\b", "a\\\\b%"],
  ])("of %s is %s", (text, pattern) => {
    expect(patternOf(text)).toBe(pattern);
  });
});

describe("jobsQuery", () => {
  it("asks for nothing that was not filtered", () => {
    expect(jobsQuery(NO_FILTERS)).toEqual({});
  });

  it("uses the names of the API", () => {
    expect(jobsQuery({ status: ["NEW", "RUNNING"], name: "a", user: "b", tags: "c:d" })).toEqual({
      status: "NEW,RUNNING",
      name: "a%",
      username: "b%",
      tags: "c:d",
    });
  });
});
