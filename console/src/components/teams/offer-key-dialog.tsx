import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { listKeyOffers, offerKeyToTeam } from "@tollgate/contract/accounts/team-key-moves.ts";
import { getTeam, listTeamTokens, type Team } from "@tollgate/contract/accounts/teams.ts";
import { listTokens } from "@tollgate/contract/accounts/tokens.ts";
import { useState } from "react";
import { readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { FilterField, Select } from "../../ui/form/input.tsx";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { toast } from "../../ui/toast.tsx";
import { CardLoading } from "../forms/form-loading.tsx";
import { KeyMoveFacts } from "./key-move-facts.tsx";
import type { TeamRights } from "./team-rights.ts";

/** Who has more keys finds the newest here. */
const offeredMax = 100;

type OfferKeyDialogProps = { team: Team; rights: TeamRights; onClose: () => void };

/** Offers an own key to the team, after what changes for it has been shown. */
export function OfferKeyDialog({ team, rights, onClose }: OfferKeyDialogProps) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState("");
  const params = { id: readEntityRef(team) };
  const keys = useQuery(api.query(listTokens, { query: { size: offeredMax } }));
  const token_id = Number(chosen);
  const preview = useQuery({
    queryKey: ["key move", params.id, token_id],
    queryFn: () => api.call(offerKeyToTeam, { params, body: { token_id, preview: true } }),
    enabled: chosen !== "",
    gcTime: 0,
  });
  const offer = useMutation({
    mutationFn: () =>
      api.change(offerKeyToTeam, [listKeyOffers, listTeamTokens, listTokens, getTeam], {
        params,
        body: { token_id },
      }),
    onSuccess: ({ data: { name: moved, is_moved } }) => {
      toast(is_moved ? t`${moved} is a key of the team.` : t`${moved} is offered to the team.`);
      onClose();
    },
  });
  const { name } = team;
  const rows = keys.data?.data ?? [];
  return (
    <Dialog open onClose={onClose} title={<Trans>Move a key into {name}</Trans>}>
      <div className="flex flex-col gap-4">
        <p>
          {rights.manage ? (
            <Trans>The team pays for it from its next call on. It stays your key.</Trans>
          ) : (
            <Trans>
              When a team admin agrees, the team pays for it. It stays your key, and only an
              administrator of the site moves it back.
            </Trans>
          )}
        </p>
        {keys.data === undefined ? (
          <CardLoading source={keys} />
        ) : (
          <FilterField label={t`Your key`}>
            {(id) => (
              <Select id={id} value={chosen} onChange={({ target }) => setChosen(target.value)}>
                <option value="">{t`Choose a key`}</option>
                {rows.map((row) => (
                  <option key={row.id} value={row.id}>
                    {row.name}
                  </option>
                ))}
              </Select>
            )}
          </FilterField>
        )}
        {chosen !== "" && preview.data === undefined && <CardLoading source={preview} />}
        {preview.data !== undefined && <KeyMoveFacts move={preview.data.data} />}
        {offer.error !== null && <Alert title={readReason(offer.error, t`Operation failed`)} />}
        <div className="flex flex-wrap gap-2">
          <Button
            variant="primary"
            busy={offer.isPending}
            disabled={preview.data === undefined}
            onClick={() => offer.mutate()}
          >
            {rights.manage ? <Trans>Move</Trans> : <Trans>Offer</Trans>}
          </Button>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
