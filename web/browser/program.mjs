// The real program on a free port, in a folder of its own.
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAM =
  process.env.WAYBILL_BINARY ?? fileURLToPath(new URL("../../build/release/waybill", import.meta.url));
const WAIT_MS = 60_000;

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** The value that `probe` answers, as soon as it is one. */
export async function waitFor(what, probe) {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${WAIT_MS} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// JSON is YAML.
const CONFIG = (port) => ({
  server: { addr: `127.0.0.1:${port}`, grpc_addr: "" },
  database: { connection_string: "sqlite:./waybill.db" },
  jobs_directory: "./jobs",
  archive_directory: "./archive",
  result_directory: "./results",
  pool: { size: 4, sleep: 250 },
  commands: [
    {
      name: "shell",
      version: "1",
      plugin: "shell",
      tags: ["type:shell"],
      cluster_tags: ["type:local"],
      context: { command: ["/bin/sh", "-c"] },
    },
  ],
  clusters: [
    {
      name: "local",
      version: "1",
      tags: ["type:local"],
      attributes: {
        "Live page": { kind: "link", value: "https://live.example.com/{{ .Outputs.app }}", show: "running" },
        History: { kind: "link", value: "https://history.example.com/{{ .Outputs.app }}" },
        Rows: { kind: "text", value: "{{ .Outputs.rows }}" },
        Link: { kind: "link", value: "{{ .Outputs.link }}" },
        Text: { kind: "text", value: "{{ .Outputs.text }}" },
        "<img src=x onerror=alert(1)>": { kind: "text", value: "{{ .Outputs.text }}" },
      },
    },
  ],
});

export async function startProgram() {
  const folder = await mkdtemp(join(tmpdir(), "waybill-browser-"));
  const port = await freePort();
  await writeFile(join(folder, "waybill.yaml"), JSON.stringify(CONFIG(port)));
  const child = spawn(PROGRAM, ["serve", "--config", "waybill.yaml"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = createWriteStream(join(folder, "log"));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const url = `http://127.0.0.1:${port}`;
  await waitFor("the server's start", async () => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    return answer?.ok;
  });

  const call = async (method, path, body) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { "X-Heimdall-User": "alice", "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    url,
    folder,
    call,
    submit: (name, script, more = {}) =>
      call("POST", "/job", {
        name,
        command_criteria: ["type:shell"],
        cluster_criteria: ["type:local"],
        context: { arguments: [script] },
        ...more,
      }),
    status: (id, status) =>
      waitFor(`job ${id} to be ${status}`, async () => (await call("GET", `/job/${id}`)).status === status),
    async stop() {
      // Jobs outlive their server by design, also those of a test that failed half way.
      const filter = { status: "NEW,ACCEPTED,RUNNING" };
      await call("POST", "/jobs/cancel", { filter });
      await waitFor("the end of all jobs", async () => {
        const { data } = await call("GET", `/jobs?status=${filter.status},CANCELING&limit=1`);
        return data.length === 0;
      });
      child.kill("SIGTERM");
      await ended;
      log.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
