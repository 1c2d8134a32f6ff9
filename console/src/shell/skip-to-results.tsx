import { Trans } from "@lingui/react/macro";
import { SkipLink } from "./skip-link.tsx";

/**
 * `SkipToResults` is the second stop of the tab order on a page with a list: from it, the next stop
 * is the first row, past navigation, filters and heads of columns (`resultsId` in `ui/table`).
 */
export const SkipToResults = () => (
  <SkipLink to="#results" className="[body:not(:has(#results))_&]:hidden">
    <Trans>Skip to the results</Trans>
  </SkipLink>
);
