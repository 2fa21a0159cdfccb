import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/client";
import { liveEvents } from "./api/live";
import { App } from "./app";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/shell.css";
import "./styles/status.css";
import "./styles/jobs.css";
import "./styles/job.css";
import "./styles/dialog.css";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays one, however often it is asked for.
      retry: (failures, problem) =>
        failures < 2 && !(problem instanceof ApiError && problem.status >= 400 && problem.status < 500),
      refetchOnWindowFocus: true,
      staleTime: 500,
      networkMode: "always", // a server on this machine is there without a network
    },
    mutations: { networkMode: "always" },
  },
});

liveEvents.start();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}
