import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// `npm run dev` shows the pages with the data of a server that runs here.
const server = process.env.WAYBILL_URL ?? "http://127.0.0.1:9090";

export default defineConfig({
  base: "/ui/",
  plugins: [react()],
  // Everything is a file of its own: the policy of the server allows no data: scripts or styles.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, target: "es2022" },
  server: { proxy: { "/api": server, "/openapi.json": server } },
  test: { include: ["src/**/*.test.{ts,tsx}"], environment: "node" },
});
