import { describe, expect, it } from "vitest";
import { durationText, timeText } from "./time";

describe("durationText", () => {
  it.each([
    [-5, "0 ms"],
    [0, "0 ms"],
    [999, "999 ms"],
    [1000, "1.0 s"],
    [9_999, "9.9 s"],
    [10_000, "10 s"],
    [59_999, "59 s"],
    [60_000, "1 m 00 s"],
    [3_599_999, "59 m 59 s"],
    [3_600_000, "1 h 00 m"],
    [86_399_999, "23 h 59 m"],
    [90_000_000, "1 d 01 h"],
  ])("of %d ms is %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

describe("timeText", () => {
  it("is always as wide", () => {
    expect(timeText(new Date(2026, 0, 2, 3, 4, 5))).toBe("2026-01-02 03:04:05");
  });
});
