// The pages in Chromium, served by the program that embeds them.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { chromium } from "playwright-core";
import { startProgram, waitFor } from "./program.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const BROWSER = {
  executablePath: "/usr/bin/chromium",
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

describe("the pages", { timeout: 600_000 }, () => {
  let program;
  let browser;
  let context;
  let page;
  let complaints;

  before(async () => {
    program = await startProgram();
    browser = await chromium.launch(BROWSER);
  });
  after(async () => {
    await browser?.close();
    await program?.stop();
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(60_000);
    page = await context.newPage();
    complaints = [];
    page.on("pageerror", (problem) => complaints.push(`error: ${problem}`));
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      if (/Content Security Policy/i.test(message.text())) complaints.push(message.text());
    });
    // The pages need nothing from anywhere else.
    page.on("request", (request) => {
      if (!request.url().startsWith(program.url)) complaints.push(`request: ${request.url()}`);
    });
  });
  afterEach(async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });

  const open = (path) => page.goto(program.url + path);
  const link = (name) => page.locator("main").getByRole("link", { name });
  const see = (text) => page.getByText(text).first().waitFor();

  /** A script that goes on when the test says so. */
  function gate(name) {
    const file = join(program.folder, name);
    return {
      script: `while [ ! -e '${file}' ]; do sleep 0.1; done`,
      open: () => writeFile(file, ""),
    };
  }

  async function isAccessible() {
    await page.addScriptTag({ path: AXE });
    const { violations } = await page.evaluate(() => window.axe.run());
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(
      serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`),
      [],
    );
  }

  it("show a running job's link while it runs, and what it left afterwards", async () => {
    const end = gate("end-of-link");
    const job = await program.submit(
      "daily-load",
      `echo app=app-42 >> $WAYBILL_OUTPUT; echo first line; ${end.script}; echo rows=128433 >> $WAYBILL_OUTPUT; echo last line`,
    );
    await open(`/ui/jobs/${job.id}`);
    await see("Running");
    const live = link("Live page");
    await live.waitFor();
    assert.equal(await live.getAttribute("href"), "https://live.example.com/app-42");
    assert.equal(await live.getAttribute("rel"), "noopener noreferrer");
    assert.equal(await live.getAttribute("target"), "_blank");
    await see("first line");

    await end.open();
    await see("Succeeded");
    await see("128433");
    await see("last line");
    assert.equal(await link("History").getAttribute("href"), "https://history.example.com/app-42");
    assert.equal(await live.count(), 0, "a live page of a finished job is no use");
    await see("could not be rendered");
  });

  it("show hostile attributes as text", async () => {
    const long = "x".repeat(8 * 1024 - 40);
    const job = await program.submit(
      "hostile",
      `{ echo 'link=javascript:alert(1)'; printf 'text=%s\\n' '<img src=x onerror=alert(1)>\u202Egpj.exe${long}'; } >> $WAYBILL_OUTPUT`,
    );
    await program.status(job.id, "SUCCEEDED");
    await open(`/ui/jobs/${job.id}`);
    await see("javascript:alert(1)");
    assert.equal(await page.locator("main img").count(), 0);
    assert.equal(await page.locator('a[href^="javascript"]').count(), 0);
    const value = page.locator("dd bdi", { hasText: "gpj.exe" }).first();
    const text = await value.textContent();
    assert.ok(text.endsWith(long), "all of it is there");
    const all = await page.locator("main").textContent();
    assert.ok(!all.includes("\u202E"), "nothing reads backwards, nor in the context");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    assert.equal(wide, false, "the page is as wide as the window");
    // The override ends where the value does.
    assert.equal(await value.evaluate((element) => getComputedStyle(element).unicodeBidi), "isolate");
  });

  it("list jobs as they come and change, and filter them by the address", async () => {
    await open("/ui/jobs?tags=run:list");
    await see("No job matches these filters");
    const end = gate("end-of-list");
    const job = await program.submit("listed", end.script, { tags: ["run:list"] });
    const row = page.getByRole("row", { name: "listed" });
    await row.getByText("Running").waitFor();
    await end.open();
    await row.getByText("Succeeded").waitFor();

    await page.getByLabel("Name").fill("nothing-has-this-name");
    await see("No job matches these filters");
    assert.match(page.url(), /name=nothing-has-this-name/);
    await page.getByLabel("Name").fill("lis");
    await row.waitFor();
    await row.getByRole("link", { name: "listed" }).click();
    await page.getByRole("heading", { name: "listed" }).waitFor();
    assert.equal(page.url(), `${program.url}/ui/jobs/${job.id}`);
    await page.goBack();
    await row.waitFor();
    assert.match(page.url(), /[?&]name=lis(&|$)/);
  });

  it("share one connection between tabs, and hand it on when its tab is closed", async () => {
    const connections = [];
    context.on("request", (request) => {
      if (request.url().endsWith("/api/v1/events")) connections.push(request);
    });
    const live = (tab) => tab.getByText("live", { exact: true }).waitFor();
    await open("/ui/jobs?tags=run:tabs");
    await live(page);
    const second = await context.newPage();
    await second.goto(`${program.url}/ui/jobs?tags=run:tabs`);
    await live(second);
    assert.equal(connections.length, 1);
    await page.close();
    await waitFor("the other tab to listen", () => connections.length === 2);
    await live(second);
    const job = await program.submit("told", "true", { tags: ["run:tabs"] });
    await second.getByRole("row", { name: "told" }).waitFor();
    await program.status(job.id, "SUCCEEDED");
    await second.getByRole("row", { name: "told" }).getByText("Succeeded").waitFor();
  });

  it("ask again and again where no live connection gets through", async () => {
    await page.route("**/api/v1/events", (route) => route.abort());
    await open("/ui/jobs?tags=run:poll");
    await see("polling");
    const end = gate("end-of-poll");
    const job = await program.submit("polled", end.script, { tags: ["run:poll"] });
    const row = page.getByRole("row", { name: "polled" });
    await row.getByText("Running").waitFor();
    await row.getByRole("link", { name: "polled" }).click();
    await page.locator(".title .status.running").waitFor();
    await end.open();
    await page.locator(".title .status.succeeded").waitFor();
    assert.equal((await program.call("GET", `/job/${job.id}`)).status, "SUCCEEDED");
  });

  it("turn the pages of a long list", async () => {
    const jobs = Array.from({ length: 60 }, (_, i) => ({
      name: `many-${String(i).padStart(2, "0")}`,
      tags: ["run:many"],
      command_criteria: ["type:shell"],
      cluster_criteria: ["type:local"],
      context: { arguments: ["true"] },
    }));
    await program.call("POST", "/jobs", { jobs });
    await open("/ui/jobs?tags=run:many");
    const rows = page.locator("tbody tr");
    await rows.nth(49).waitFor();
    assert.equal(await rows.count(), 50);
    await page.getByRole("link", { name: "Older" }).click();
    await page.getByRole("link", { name: "Newer" }).waitFor();
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 10);
    await page.getByRole("link", { name: "Newer" }).click();
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 50);
  });

  it("cancel a job after asking, for whoever typed a name", async () => {
    const job = await program.submit("to-cancel", "sleep 600");
    await program.status(job.id, "RUNNING");
    await open(`/ui/jobs/${job.id}`);
    await page.getByRole("button", { name: "Cancel job" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Cancel the job" }).click();
    await dialog.getByText("needs to know who asks").waitFor();
    await dialog.getByLabel("Your name").fill("alice");
    await dialog.getByRole("button", { name: "Cancel the job" }).click();
    await program.status(job.id, "CANCELED");
    await page.locator(".title").getByText("Canceled").waitFor();
    assert.equal(await page.getByRole("button", { name: "Cancel job" }).count(), 0);
  });

  it("say what is wrong where there is nothing to show", async () => {
    await open("/ui/jobs/01a00000-0000-7000-8000-000000000000");
    await see("There is no such job");
    await open("/ui/nowhere");
    await see("There is no such page");
    await page.route("**/api/v1/jobs*", (route) => route.abort());
    await open("/ui/jobs");
    await see("The jobs can't be shown");
    await page.unroute("**/api/v1/jobs*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator("tbody tr, .note:not(.bad)").first().waitFor();
  });

  it("are used by keyboard", async () => {
    const job = await program.submit("by-keyboard", "true", { tags: ["run:keys"] });
    await open("/ui/jobs?tags=run:keys");
    await page.locator("tbody tr").waitFor();
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.name), "name");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/ui/jobs/${job.id}`);
    await page.keyboard.press("g");
    await page.keyboard.press("j");
    await page.waitForURL("**/ui/jobs");
  });

  for (const colorScheme of ["light", "dark"]) {
    it(`are accessible in ${colorScheme} and fit a phone`, async () => {
      await context.close();
      // axe is no part of the pages: their policy would keep it out.
      context = await browser.newContext({
        colorScheme,
        bypassCSP: true,
        viewport: { width: 360, height: 740 },
      });
      context.setDefaultTimeout(60_000);
      page = await context.newPage();
      const job = await program.submit(
        "accessible",
        "echo app=a >> $WAYBILL_OUTPUT; echo rows=1 >> $WAYBILL_OUTPUT; echo line; echo no >&2; exit 3",
        { tags: ["run:accessible"] },
      );
      await program.status(job.id, "FAILED");
      for (const [path, sign] of [
        ["/ui/jobs", "tbody tr"],
        [`/ui/jobs/${job.id}`, ".log"],
      ]) {
        await page.setViewportSize({ width: 360, height: 740 });
        await open(path);
        await page.locator(sign).first().waitFor();
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), path);
        await isAccessible();
        await page.setViewportSize({ width: 1280, height: 800 });
        await isAccessible();
      }
    });
  }
});
