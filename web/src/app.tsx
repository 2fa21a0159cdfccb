import { Link, Redirect, Route, Router, Switch } from "wouter";
import { useLive } from "./api/live";
import { JobPage } from "./job/job_page";
import { JobsPage } from "./jobs/jobs_page";
import { useKeys } from "./ui/keys";
import { Note } from "./ui/note";

function Liveness() {
  const live = useLive();
  return (
    <span
      className={live ? "live on" : "live"}
      title={live ? "Changes show at once" : "No live connection: changes show within seconds"}
    >
      {live ? "live" : "polling"}
    </span>
  );
}

function NotFound() {
  return (
    <main>
      <Note title="There is no such page">
        The address may be mistyped. <Link href="/jobs">All jobs</Link>
      </Note>
    </main>
  );
}

export function App() {
  return (
    <Router base="/ui">
      <Shell />
    </Router>
  );
}

function Shell() {
  useKeys();
  return (
    <>
      <header className="bar">
        <Link href="/jobs" className="brand">
          Waybill
        </Link>
        <nav aria-label="Pages">
          <Link href="/jobs" className={(active) => (active ? "here" : "")}>
            Jobs
          </Link>
        </nav>
        <Liveness />
      </header>
      <Switch>
        <Route path="/jobs/:id">{({ id }) => <JobPage key={id} id={decodeURIComponent(id)} />}</Route>
        <Route path="/jobs">
          <JobsPage />
        </Route>
        <Route path="/">
          <Redirect to="/jobs" replace />
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </>
  );
}
