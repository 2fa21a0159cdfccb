import type { Transition } from "../api/types";
import { Said } from "../ui/said";
import { Status } from "../ui/status";
import { Time } from "../ui/time";

export function Transitions({ steps }: { steps: Transition[] }) {
  return (
    <section aria-labelledby="transitions-title" className="panel">
      <div className="panel-head">
        <h2 id="transitions-title">Transitions</h2>
      </div>
      <ol className="transitions">
        {steps.map((step) => (
          <li key={`${step.at}.${step.from ?? ""}.${step.to}`}>
            <Time at={step.at} />
            <Status status={step.to} />
            <span>
              {step.reason}
              {step.actor && (
                <>
                  {" "}
                  by <Said text={step.actor} />
                </>
              )}
              {(step.attempt ?? 1) > 1 && ` (attempt ${step.attempt})`}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
