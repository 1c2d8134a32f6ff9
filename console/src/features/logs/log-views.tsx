import { Trans, useLingui } from "@lingui/react/macro";
import { PageViews } from "../../components/page-views.tsx";

/** All entries, or what went wrong. A filter stays when the view changes. */
export function LogViews({ isOfProblems }: { isOfProblems: boolean }) {
  const { t } = useLingui();
  return (
    <PageViews
      label={t`Views of the log`}
      parameter="view"
      current={isOfProblems ? "problems" : undefined}
      views={[
        { value: undefined, label: <Trans>All entries</Trans> },
        { value: "problems", label: <Trans>Problems</Trans> },
      ]}
    />
  );
}
