import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { ModelEndMark } from "../../components/model-end-mark.tsx";
import { useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { missing } from "../../ui/format.ts";
import { Price, TieredPrice, TokenLimit } from "./model-facts.tsx";
import type { FlatModel, ListedModel } from "./model-groups.ts";

const cellStyle = "px-4 py-2 text-end whitespace-nowrap max-lg:whitespace-normal max-lg:px-2";
/** A fixed width, so that the columns of all groups align. */
const columnHead = `${cellStyle} w-40 font-medium text-muted text-sm max-lg:w-28`;

/** A server without prices for cached tokens sends none. */
const hasCachedPrice = ({ cached_input_price, input_price }: ListedModel): boolean =>
  !Number.isNaN(cached_input_price) && cached_input_price !== input_price;

type ModelTableProps = { label: string; models: readonly (ListedModel | FlatModel)[] };

/** `ModelColumns` are those that stand only where a model has such a price. */
export type ModelColumns = { hasCached: boolean; hasImages: boolean };

export const listModelColumns = (models: readonly ListedModel[]): ModelColumns => ({
  hasCached: models.some(hasCachedPrice),
  hasImages: models.some(({ image_price }) => image_price !== undefined),
});

/** The prices of one group, or of all of them: then each row says who offers the model. */
export function ModelTable({
  label,
  models,
  hasCached,
  hasImages,
}: ModelTableProps & ModelColumns) {
  const isFlat = models.some((model) => "offers" in model);
  return (
    <table aria-label={label} className="w-full table-fixed tabular-nums">
      <thead>
        <tr className="border-line border-y bg-sunken">
          <th scope="col" className="px-4 py-2 text-start font-medium text-muted text-sm">
            <Trans>Model</Trans>
          </th>
          {isFlat && (
            <th scope="col" className="px-4 py-2 text-start font-medium text-muted text-sm">
              <Trans>Offered by</Trans>
            </th>
          )}
          <th scope="col" className={columnHead}>
            <Trans>Input price</Trans>
          </th>
          {hasCached && (
            <th scope="col" className={columnHead}>
              <Trans>Cached input</Trans>
            </th>
          )}
          <th scope="col" className={columnHead}>
            <Trans>Output price</Trans>
          </th>
          {hasImages && (
            <th scope="col" className={columnHead}>
              <Trans>Image price</Trans>
            </th>
          )}
          <th scope="col" className={columnHead}>
            <Trans>Max tokens</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {models.map((model) => (
          <tr
            key={JSON.stringify(model)}
            className="border-line border-b last:border-b-0 hover:bg-hover"
          >
            <th scope="row" className="px-4 py-2 text-start font-normal">
              <ModelName model={model} />
            </th>
            {isFlat && (
              <td className="px-4 py-2 text-muted text-sm">
                <Offers of={model} />
              </td>
            )}
            <td className={cellStyle}>
              <TieredPrice model={model} kind="input_price" />
            </td>
            {hasCached && (
              <td className={cellStyle}>
                <TieredPrice model={model} kind="cached_input_price" />
              </td>
            )}
            <td className={cellStyle}>
              <TieredPrice model={model} kind="output_price" />
            </td>
            {hasImages && (
              <td className={cellStyle}>
                {model.image_price === undefined ? missing : <Price amount={model.image_price} />}
              </td>
            )}
            <td className={cellStyle}>
              <TokenLimit tokens={model.max_tokens} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Offers = ({ of }: { of: ListedModel | FlatModel }) =>
  "offers" in of && (
    <span dir="auto" className="[overflow-wrap:anywhere]">
      {of.offers.join(", ")}
    </span>
  );

/**
 * The prices of one group on mobile. `content-visibility` skips the layout of entries off the
 * screen.
 */
export function ModelList({ label, models }: ModelTableProps) {
  return (
    <ul aria-label={label} className="border-line border-t">
      {models.map((model) => (
        <li
          key={JSON.stringify(model)}
          className="border-line border-b px-4 py-3 [contain-intrinsic-size:auto_88px] [content-visibility:auto] last:border-b-0"
        >
          <ModelName model={model} />
          <p className="text-muted text-sm empty:hidden">
            <Offers of={model} />
          </p>
          <dl className="mt-1.5 grid grid-cols-2 gap-x-4 gap-y-2 text-sm tabular-nums">
            <ModelFact name={<Trans>Input price</Trans>}>
              <TieredPrice model={model} kind="input_price" />
            </ModelFact>
            <ModelFact name={<Trans>Output price</Trans>}>
              <TieredPrice model={model} kind="output_price" />
            </ModelFact>
            {hasCachedPrice(model) && (
              <ModelFact name={<Trans>Cached input</Trans>}>
                <TieredPrice model={model} kind="cached_input_price" />
              </ModelFact>
            )}
            {model.image_price !== undefined && (
              <ModelFact name={<Trans>Image price</Trans>}>
                <Price amount={model.image_price} />
              </ModelFact>
            )}
            <ModelFact name={<Trans>Max tokens</Trans>}>
              <TokenLimit tokens={model.max_tokens} />
            </ModelFact>
          </dl>
        </li>
      ))}
    </ul>
  );
}

function ModelFact({ name, children }: { name: React.ReactNode; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-muted text-xs">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function ModelName({ model: { name, price_verified } }: { model: ListedModel }) {
  const { t } = useLingui();
  const { user } = useSession();
  const text = <code className="font-mono text-sm [overflow-wrap:anywhere]">{name}</code>;
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      {user === null ? (
        text
      ) : (
        <Link
          to="/models/one"
          search={{ model: name } as never}
          className="py-1 underline-offset-2 hover:underline"
        >
          {text}
        </Link>
      )}
      <ModelEndMark model={name} />
      {price_verified === false && (
        <Badge title={t`This price has not been checked against the provider's price list.`}>
          <Trans>Unverified price</Trans>
        </Badge>
      )}
    </span>
  );
}
