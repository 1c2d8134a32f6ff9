import { Trans, useLingui } from "@lingui/react/macro";
import { PageViews } from "../../components/page-views.tsx";

type TokenViewsProps = {
  offersAll: boolean;
  isOfAll: boolean;
  offersFindings: boolean;
  isLookedAt: boolean;
};

/**
 * The user's own keys; for administrators, those of all users; and those that their owner or an
 * administrator should look at.
 */
export function TokenViews({ offersAll, isOfAll, offersFindings, isLookedAt }: TokenViewsProps) {
  const { t } = useLingui();
  if (!offersAll && !offersFindings) return null;
  return (
    <PageViews
      label={t`Views of the keys`}
      views={[
        {
          label: <Trans>My keys</Trans>,
          isCurrent: !isLookedAt && !isOfAll,
          search: { scope: undefined, look: undefined, finding: undefined, owner: undefined },
        },
        ...(offersAll
          ? [
              {
                label: <Trans>All keys</Trans>,
                isCurrent: !isLookedAt && isOfAll,
                search: { scope: "all", look: undefined, finding: undefined },
              },
            ]
          : []),
        ...(offersFindings
          ? [{ label: <Trans>Keys to review</Trans>, isCurrent: isLookedAt, search: { look: "1" } }]
          : []),
      ]}
    />
  );
}
