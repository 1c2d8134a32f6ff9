import { Trans, useLingui } from "@lingui/react/macro";
import { PageViews } from "../../components/page-views.tsx";

/** For administrators: their own keys, or those of all users. */
export function TokenScopes({ isOfAll }: { isOfAll: boolean }) {
  const { t } = useLingui();
  return (
    <PageViews
      label={t`Whose keys`}
      parameter="scope"
      current={isOfAll ? "all" : undefined}
      views={[
        { value: undefined, label: <Trans>My keys</Trans> },
        { value: "all", label: <Trans>All keys</Trans> },
      ]}
    />
  );
}
