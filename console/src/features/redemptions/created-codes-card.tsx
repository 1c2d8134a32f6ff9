import { Trans } from "@lingui/react/macro";
import { Card } from "../../ui/card.tsx";
import { CreatedCodesButtons, CreatedCodesList } from "./created-codes.tsx";
import type { CreatedCodes } from "./use-code-creation.ts";

/** The codes that the form has just made, above the list. */
export function CreatedCodesCard(created: CreatedCodes) {
  const { name } = created;
  return (
    <Card
      title={<Trans>Codes of {name}</Trans>}
      action={
        <div className="flex flex-wrap gap-2">
          <CreatedCodesButtons {...created} />
        </div>
      }
    >
      <CreatedCodesList {...created} />
    </Card>
  );
}
