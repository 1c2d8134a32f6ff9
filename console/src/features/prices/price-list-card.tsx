import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import {
  listPriceOffers,
  type PriceOffers,
  readPriceList,
} from "@tollgate/contract/catalogue/price-offers.ts";
import { type SubmitEvent, useRef } from "react";
import { readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { CardLoading } from "../../components/forms/form-loading.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { FilterField, Input } from "../../ui/form/input.tsx";
import { Time } from "../../ui/time.tsx";
import { PriceOfferTable } from "./price-offer-table.tsx";

/**
 * A newer price list beside the prices in force: root takes what is right, and nothing changes
 * without that.
 */
export function PriceListCard() {
  const offers = useQuery({ ...api.query(listPriceOffers), select: ({ data }) => data });
  return (
    <Card
      className="mt-4"
      title={<Trans>Newer prices</Trans>}
      note={
        <Trans>
          A newer price list beside the prices in force. No price changes until you take it.
        </Trans>
      }
    >
      {offers.data === undefined || offers.error !== null ? (
        <CardLoading source={offers} />
      ) : (
        <div className="flex flex-col gap-4">
          <ListForm list={offers.data} />
          <ListState list={offers.data} />
          {offers.data.read_at > 0 && <PriceOfferTable list={offers} />}
        </div>
      )}
    </Card>
  );
}

function ListForm({ list: { address } }: { list: PriceOffers }) {
  const { t } = useLingui();
  const file = useRef<HTMLInputElement>(null);
  const read = useMutation(api.mutation(readPriceList, { refreshes: [listPriceOffers] }));
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    read.mutate({
      body: { address: String(new FormData(event.currentTarget).get("address")).trim() },
    });
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <FilterField
          label={t`Address of a price list, read daily`}
          className="min-w-0 flex-1 basis-72"
        >
          {(id) => (
            <Input
              key={address}
              id={id}
              name="address"
              defaultValue={address}
              maxLength={2000}
              autoComplete="off"
            />
          )}
        </FilterField>
        <Button type="submit" busy={read.isPending}>
          <Trans>Compare</Trans>
        </Button>
        <input
          ref={file}
          type="file"
          accept="application/json,.json"
          hidden
          aria-label={t`Price list`}
          onChange={(event) => {
            const [chosen] = event.target.files ?? [];
            if (chosen)
              void chosen
                .text()
                .then((content) => read.mutate({ body: { content, name: chosen.name } }));
            event.target.value = "";
          }}
        />
        <Button busy={read.isPending} onClick={() => file.current?.click()}>
          <Trans>Choose a file</Trans>
        </Button>
      </div>
      {read.error !== null && <Alert title={readReason(read.error, t`Operation failed`)} />}
    </form>
  );
}

function ListState({
  list: { failure, read_at, list_source, list_models },
}: {
  list: PriceOffers;
}) {
  const { t } = useLingui();
  return (
    <>
      {failure !== null && (
        <Alert title={t`The address gave no price list. The gateway tries again within an hour.`} />
      )}
      {read_at > 0 && (
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          {list_source} · <Plural value={list_models} one="# model" other="# models" /> ·{" "}
          <Time seconds={Math.floor(read_at / 1_000)} />
        </p>
      )}
    </>
  );
}
