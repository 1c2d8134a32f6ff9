import { Trans, useLingui } from "@lingui/react/macro";
import { PageViews } from "../../components/page-views.tsx";

/** `LogViews` gives all entries, or what went wrong. A filter stays when the view changes. */
export function LogViews({ isOfProblems }: { isOfProblems: boolean }) {
  const { t } = useLingui();
  return (
    <PageViews
      label={t`Views of the log`}
      views={[
        {
          label: <Trans>All entries</Trans>,
          isCurrent: !isOfProblems,
          search: { view: undefined },
        },
        { label: <Trans>Problems</Trans>, isCurrent: isOfProblems, search: { view: "problems" } },
      ]}
    />
  );
}
