import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Said } from "./said";

describe("Said", () => {
  it.each([
    ["plain", "<bdi>plain</bdi>"],
    ["\u202egpj.exe", "<bdi>\ufffdgpj.exe</bdi>"],
    ["a\u202db\u202cc", "<bdi>a\ufffdb\ufffdc</bdi>"],
    ["\u0645\u0631\u062d\u0628\u0627", "<bdi>\u0645\u0631\u062d\u0628\u0627</bdi>"],
    ["<b>", "<bdi>&lt;b&gt;</bdi>"],
    [undefined, ""],
  ])("shows %j as %j", (text, html) => {
    expect(renderToStaticMarkup(<Said text={text} />)).toBe(html);
  });
});
