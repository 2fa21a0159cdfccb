import { Link } from "wouter";
import type { Job } from "../api/types";
import { AttributeLinks } from "../job/attributes";
import { Said } from "../ui/said";
import { Status } from "../ui/status";
import { Duration, Time } from "../ui/time";

/** System tags say again what the other columns say. */
export function ownTags(job: Job): string[] {
  return job.tags.filter((tag) => !/^_(id|name|version):/.test(tag));
}

export function JobsTable({ jobs }: { jobs: Job[] }) {
  return (
    <table className="jobs">
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Name</th>
          <th scope="col">User</th>
          <th scope="col">Command</th>
          <th scope="col">Cluster</th>
          <th scope="col">Tags</th>
          <th scope="col">Created</th>
          <th scope="col" className="number">
            Duration
          </th>
          <th scope="col">Links</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <Row key={job.id} job={job} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ job }: { job: Job }) {
  const tags = ownTags(job);
  return (
    <tr>
      <td className="c-status">
        <Status status={job.status} />
      </td>
      <td className="c-name">
        <Link href={`/jobs/${encodeURIComponent(job.id)}`} data-row="" title={job.name ?? job.id}>
          <Said text={job.name ?? job.id} />
        </Link>
      </td>
      <td className="c-user" title={job.user}>
        <Said text={job.user} />
      </td>
      <td className="c-command" title={job.command_name}>
        <Said text={job.command_name} />
      </td>
      <td className="c-cluster" title={job.cluster_name}>
        <Said text={job.cluster_name} />
      </td>
      <td className="c-tags" title={tags.join(", ")}>
        {tags.map((tag) => (
          <span key={tag} className="tag">
            <Said text={tag} />
          </span>
        ))}
      </td>
      <td className="c-created">
        <Time at={job.created_at} />
      </td>
      <td className="c-duration number">
        <Duration job={job} />
      </td>
      <td className="c-links">
        <AttributeLinks job={job} />
      </td>
    </tr>
  );
}
