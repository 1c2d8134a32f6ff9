/**
 * Checks an address and a key before a channel is made of them. Nothing is stored, and nothing is
 * held or charged.
 */
import type { BodyOf, DataOf } from "@tollgate/contract/api/endpoint.ts";
import {
  type checkProvider,
  checkProvider as checkProviderEndpoint,
  type OfferedModel,
} from "@tollgate/contract/catalogue/provider-check.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { defaultPrice, findPrice, type PriceBook } from "../../money/prices/price-book.ts";
import { findHighestPrice } from "../../money/prices/price-hours.ts";
import type { BuiltInModels } from "./built-in-models.ts";
import { buildCreatedChannel } from "./channel-rules.ts";
import type { ChannelRuntime } from "./channel-view.ts";
import { collectUsualModels, findModelToAsk } from "./usual-models.ts";

/** A provider's account that is not a channel yet. */
export interface ProviderDraft {
  type: number;
  base_url: string;
  key: string;
}

/**
 * The two questions that the relay can put to a provider. Neither throws for a failure of the
 * provider.
 */
export interface ProviderProbe {
  listModels(draft: ProviderDraft): Promise<{ names: string[] } | { failure: string } | undefined>;
  ask(
    draft: ProviderDraft,
    model: string,
  ): Promise<{ ok: boolean; message: string; elapsedMs: number }>;
}

type CheckReport = DataOf<typeof checkProvider>;

/** A provider's text is shown to administrators only as far as it explains a verdict. */
const messageMax = 200;
const cleanText = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, messageMax);

interface CheckProviderDeps {
  probe: ProviderProbe;
  addressIssue: ChannelRuntime["addressIssue"];
  builtIn: BuiltInModels;
  /** `book` has the prices that operators set now. */
  book(): Promise<PriceBook>;
}

export function checkProviderRoutes({
  probe,
  addressIssue,
  builtIn,
  book,
}: CheckProviderDeps): ApiRoute[] {
  const offered = async (names: readonly string[]): Promise<OfferedModel[]> => {
    const prices = await book();
    const priced = names.map((name) => {
      const price = findPrice(name, prices, undefined, "");
      const { rates } = findHighestPrice(price);
      const isKnown = price.source !== defaultPrice.source;
      // Picodollars per token are millionths of a dollar per million tokens.
      const dollars = (rate: bigint): number | null => (isKnown ? Number(rate) / 1_000_000 : null);
      return { name, input_price: dollars(rates.input), output_price: dollars(rates.output) };
    });
    const usual = collectUsualModels(priced);
    return priced.map((model) => ({ ...model, is_usual: usual.has(model.name) }));
  };

  const check = async ({
    type,
    key,
    model,
    ...body
  }: BodyOf<typeof checkProvider>): Promise<CheckReport> => {
    const { base_url } = buildCreatedChannel({
      name: "check",
      type,
      key,
      base_url: body.base_url,
    }).columns;
    const nothing = {
      address_issue: "",
      source: "built-in",
      list_failure: "",
      models: [],
      test: null,
    } as const;
    const issue = base_url === "" ? undefined : addressIssue(base_url);
    if (issue !== undefined) return { ...nothing, address_issue: issue, models: [] };
    const draft = { type, base_url, key };
    const list = await probe.listModels(draft);
    const isListed = list !== undefined && "names" in list;
    const models = await offered(
      isListed ? list.names : (builtIn.modelsByType()[String(type)] ?? []),
    );
    const asked = model || findModelToAsk(models);
    const answer = asked === undefined ? undefined : await probe.ask(draft, asked);
    return {
      address_issue: "",
      source: isListed ? "provider" : "built-in",
      list_failure: list !== undefined && "failure" in list ? cleanText(list.failure) : "",
      models,
      test:
        answer === undefined || asked === undefined
          ? null
          : {
              ok: answer.ok,
              message: cleanText(answer.message),
              model: asked,
              elapsed_ms: Math.max(1, Math.round(answer.elapsedMs)),
            },
    };
  };

  return [apiRoute(checkProviderEndpoint, ({ body }) => check(body))];
}
