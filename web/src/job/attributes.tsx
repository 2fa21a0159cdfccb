import type { Job } from "../api/types";
import { Said } from "../ui/said";
import { type Shown, shownAttributes } from "./attribute_rules";

function isLink(attribute: Shown): attribute is Shown & { href: string } {
  return attribute.href !== undefined;
}

function ExternalLink({ label, href }: { label: string; href: string }) {
  return (
    <a className="external" href={href} target="_blank" rel="noopener noreferrer" title={href}>
      <Said text={label} />
      <svg viewBox="0 0 12 12" width="10" height="10" aria-hidden="true">
        <path d="M4.5 2H2v8h8V7.5M7 2h3v3m0-3L5.5 6.5" />
      </svg>
      <span className="hidden"> (opens in a new tab)</span>
    </a>
  );
}

export function AttributeLinks({ job }: { job: Job }) {
  return shownAttributes(job)
    .filter(isLink)
    .map(({ label, href }) => <ExternalLink key={label} label={label} href={href} />);
}

/** Links as buttons, texts as "label: value", and quietly what could not be rendered. */
export function Attributes({ job }: { job: Job }) {
  const attributes = shownAttributes(job);
  const errors = Object.entries(job.attribute_errors ?? {});
  if (attributes.length === 0 && errors.length === 0) return null;
  const links = attributes.filter(isLink);
  const texts = attributes.filter((attribute) => !isLink(attribute));
  return (
    <section aria-label="Attributes" className="attributes">
      {links.length > 0 && (
        <div className="links">
          {links.map(({ label, href }) => (
            <ExternalLink key={label} label={label} href={href} />
          ))}
        </div>
      )}
      {texts.length > 0 && (
        <dl className="texts">
          {texts.map(({ label, value }) => (
            <div key={label}>
              <dt>
                <Said text={label} />:
              </dt>
              <dd>
                <Said text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {errors.length > 0 && (
        <details className="quiet">
          <summary>
            {errors.length === 1 ? "1 attribute" : `${errors.length} attributes`} could not be rendered
          </summary>
          <ul>
            {errors.map(([label, message]) => (
              <li key={label}>
                <Said text={label} />: <Said text={message} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
