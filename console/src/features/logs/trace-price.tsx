import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { PriceExplanation } from "@tollgate/contract/figures/logs.ts";
import { itemBuckets } from "@tollgate/contract/figures/usage-buckets.ts";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { formatInteger, formatQuota, missing } from "../../ui/format.ts";
import { formatPerMillion, formatPicodollars, isDigits } from "./price-text.ts";

const bucketLabels: Record<string, MessageDescriptor> = {
  input: msg`Input`,
  cache_read: msg`Cache read`,
  cache_write_5m: msg`Cache write, 5 minutes`,
  cache_write_1h: msg`Cache write, 1 hour`,
  output: msg`Output`,
  input_audio: msg`Audio input`,
  cache_read_audio: msg`Audio, cache read`,
  output_audio: msg`Audio output`,
  input_image: msg`Image input`,
  cache_read_image: msg`Image, cache read`,
  output_image: msg`Image output`,
  images: msg`Images`,
  seconds: msg`Seconds of audio`,
  characters: msg`Characters spoken`,
  web_searches: msg`Web searches`,
  grounded_requests: msg`Grounded requests`,
  map_requests: msg`Requests with places of Google Maps`,
  file_searches: msg`File searches`,
  search_units: msg`Search units`,
  code_runs: msg`Code runs`,
  container_sessions: msg`Container sessions`,
  pages: msg`Document pages`,
  annotated_pages: msg`Annotated document pages`,
  calls: msg`Calls`,
};

/** Buckets that are priced per unit, not per million tokens. */
const pricedPerUnit: ReadonlySet<string> = new Set(itemBuckets);
const readUnitPrice = ({ picodollars, tokens }: PriceExplanation["lines"][number]): string =>
  isDigits(picodollars) && Number.isInteger(tokens)
    ? formatPicodollars(String(BigInt(picodollars) / BigInt(Math.max(1, tokens))))
    : missing;

/**
 * `TracePrice` says how the charge was computed: counts times prices, times the group ratio,
 * rounded up once.
 */
export function TracePrice({ price }: { price: PriceExplanation }) {
  const { t } = useLingui();
  const { perUnit } = buildQuotaStyle(useSession().status);
  const units = formatInteger(price.quota);
  const { source, source_date: date } = price;
  return (
    <div className="flex flex-col gap-2">
      <div className="overflow-x-auto">
        <table className="w-full text-sm">
          <thead className="text-muted">
            <tr>
              <th scope="col" className="py-1.5 pr-4 text-start font-medium">
                <Trans>What</Trans>
              </th>
              <th scope="col" className="numeric py-1.5 pl-4 font-medium">
                <Trans context="of a model">Tokens</Trans>
              </th>
              <th scope="col" className="numeric whitespace-nowrap py-1.5 pl-4 font-medium">
                <Trans>Per 1M</Trans>
              </th>
              <th scope="col" className="numeric py-1.5 pl-4 font-medium">
                <Trans>Amount</Trans>
              </th>
            </tr>
          </thead>
          <tbody className="[&_td]:border-line [&_td]:border-t [&_th]:border-line [&_th]:border-t">
            {price.lines.map((line) => {
              const bucket = bucketLabels[line.bucket];
              return (
                <tr key={line.bucket}>
                  <th scope="row" className="py-1.5 pr-4 text-start font-normal">
                    {bucket === undefined ? line.bucket : t(bucket)}
                  </th>
                  <td className="numeric py-1.5 pl-4">{formatInteger(line.tokens)}</td>
                  <td className="numeric whitespace-nowrap py-1.5 pl-4">
                    {pricedPerUnit.has(line.bucket) ? (
                      <Trans>{readUnitPrice(line)} each</Trans>
                    ) : (
                      formatPerMillion(line.price_per_million)
                    )}
                  </td>
                  <td className="numeric py-1.5 pl-4">{formatPicodollars(line.picodollars)}</td>
                </tr>
              );
            })}
            <tr>
              <th scope="row" colSpan={3} className="py-1.5 pr-4 text-start font-normal">
                <Trans>Group ratio</Trans>
                {price.group !== undefined && ` · ${price.group}`}
              </th>
              <td className="numeric py-1.5 pl-4">× {price.group_ratio}</td>
            </tr>
            <tr>
              <th scope="row" colSpan={3} className="py-1.5 pr-4 text-start font-normal">
                <Trans>Sum</Trans>
              </th>
              <td className="numeric py-1.5 pl-4">{formatPicodollars(price.total_picodollars)}</td>
            </tr>
            <tr className="font-semibold">
              <th scope="row" colSpan={3} className="py-1.5 pr-4 text-start font-semibold">
                <Trans>Charged</Trans>{" "}
                <span className="ml-1 font-normal text-muted">
                  <Trans>{units} quota units, rounded up</Trans>
                </span>
              </th>
              <td className="numeric py-1.5 pl-4">
                {formatQuota(price.quota, { perUnit, inCurrency: true, digits: 6 })}
              </td>
            </tr>
          </tbody>
        </table>
      </div>
      <p className="flex flex-wrap items-center gap-2 text-muted text-sm [overflow-wrap:anywhere]">
        {price.verified ? (
          <Badge tone="good">
            <Trans>Verified price</Trans>
          </Badge>
        ) : (
          <Badge tone="warn">
            <Trans>Unverified price</Trans>
          </Badge>
        )}
        {source !== "" && (
          <span>
            <Trans>
              From {source}, read on {date}
            </Trans>
          </span>
        )}
      </p>
    </div>
  );
}
