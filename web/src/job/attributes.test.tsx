import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { Job } from "../api/types";
import { Attributes } from "./attributes";

const job = (members: Partial<Job>): Job => ({ id: "1", tags: [], status: "RUNNING", ...members });

describe("Attributes", () => {
  it("shows a link as a button to a new tab that learns nothing of this one", () => {
    const html = renderToStaticMarkup(
      <Attributes
        job={job({ extra_job_attributes: { UI: { kind: "link", value: "https://ui.example.com/" } } })}
      />,
    );
    expect(html).toContain('href="https://ui.example.com/"');
    expect(html).toContain('target="_blank"');
    expect(html).toContain('rel="noopener noreferrer"');
    expect(html).toContain(">UI<");
  });

  it("shows hostile values as text", () => {
    const html = renderToStaticMarkup(
      <Attributes
        job={job({
          extra_job_attributes: {
            Script: { kind: "link", value: "javascript:alert(1)" },
            "<b>": { kind: "text", value: "<img src=x onerror=alert(1)>" },
          },
        })}
      />,
    );
    expect(html).not.toContain("href");
    expect(html).not.toMatch(/<(img|b)[ >]/);
    expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;");
  });

  it("says quietly what could not be rendered", () => {
    const html = renderToStaticMarkup(
      <Attributes job={job({ attribute_errors: { Logs: 'no key "pod"' } })} />,
    );
    expect(html).toContain("1 attribute could not be rendered");
    expect(html).toContain("no key &quot;pod&quot;");
  });

  it("takes no room where there is nothing to show", () => {
    expect(renderToStaticMarkup(<Attributes job={job({})} />)).toBe("");
  });
});
