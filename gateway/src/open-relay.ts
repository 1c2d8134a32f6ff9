/** Opens the relay: the tables and counters that calls share, the HTTP and WebSocket entries, and the sweeper. */
import type { Logger } from "pino";
import type { AutomaticStatus } from "./channels/automatic-status.ts";
import { channelKeyStore } from "./channels/channel-key-store.ts";
import type { ChannelRuntime } from "./channels/channel-view.ts";
import { openChannelKeys } from "./channels/open-channel-keys.ts";
import type { TestChannel } from "./channels/test-channel.ts";
import type { Config } from "./config.ts";
import type { Egress } from "./egress/egress.ts";
import { createBodyMemoryBudget } from "./http/body-memory-budget.ts";
import type { Counters } from "./limits/counters.ts";
import { startLiveHolds } from "./money/live-holds.ts";
import { bookOf, type PriceLists } from "./money/price-lists.ts";
import { sweep } from "./money/sweep.ts";
import { askChannel } from "./relay/ask-channel.ts";
import { balanceReader } from "./relay/billing.ts";
import { openBreakers } from "./relay/breakers.ts";
import { openChannelLimits } from "./relay/channel-limits.ts";
import { openChannelTable, relayChannel } from "./relay/channel-table.ts";
import { openConversations } from "./relay/conversations.ts";
import { openCounting } from "./relay/counting.ts";
import type { Exchange } from "./relay/exchange.ts";
import { heldResponseStore } from "./relay/held-response-store.ts";
import { openHeldResponses } from "./relay/held-responses.ts";
import { openKeyRests } from "./relay/key-rests.ts";
import { openKeys } from "./relay/keys.ts";
import { openLogins } from "./relay/logins.ts";
import { openRealtime, type Realtime } from "./relay/realtime.ts";
import type { RelayParts } from "./relay/relay.ts";
import { routeRelay } from "./relay/relay-routes.ts";
import { relaySettings } from "./relay/relay-settings.ts";
import type { Sending } from "./relay/send.ts";
import type { Sealer } from "./secrets/seal.ts";
import type { OptionReader } from "./settings/live-options.ts";
import type { Database } from "./storage/database.ts";

export interface RelayServiceDeps {
  config: Pick<Config, "tokenKeyPrefix">;
  db: Database;
  log: Logger;
  options: OptionReader;
  seal: Sealer;
  egress: Egress;
  counters: Counters;
  priceLists: PriceLists;
  automatic: AutomaticStatus;
  /** Whether the process lacks a resource, so that new calls are refused. */
  isShort(): boolean;
  now(): number;
  onTrouble(error: unknown): void;
}

export interface RelayService {
  /** Answers one call of the client API; never throws. */
  answer(exchange: Exchange, path: string): Promise<void>;
  realtime: Realtime;
  /** HTTP calls that have not ended. */
  runningCalls(): number;
  health: ChannelRuntime;
  testChannel: TestChannel;
  /** Ends calls that an earlier process left open; answers how many. */
  sweep(): Promise<number>;
  purgeStoredResponses(): Promise<void>;
  /** Releases the holds first: calls must have ended. */
  close(): Promise<void>;
}

export async function openRelay(deps: RelayServiceDeps): Promise<RelayService> {
  const { config, db, log, options, seal, egress, counters, automatic, now, onTrouble } = deps;
  const startedAtId = db.mintId();
  const settings = relaySettings(config, options);
  const sending: Sending = { egress, logins: openLogins(egress, now), now };
  const holds = startLiveHolds(db, now, onTrouble);
  const breakers = openBreakers(now);
  const keyRests = openKeyRests(now);
  const counting = openCounting(() => !settings.isEstimateRough());
  const heldResponses = openHeldResponses({
    db,
    store: heldResponseStore(db),
    seal,
    now,
    isOn: settings.holdsAnswers,
    isEstimateRough: settings.isEstimateRough,
    onTrouble,
  });
  const relay: RelayParts = {
    ...sending,
    keys: openKeys(db, now),
    channels: await openChannelTable(
      db,
      bookOf(deps.priceLists),
      (row, states) => openChannelKeys(seal, row, states),
      onTrouble,
    ),
    holds,
    breakers,
    limits: openChannelLimits(counters),
    keyRests,
    conversations: openConversations(now),
    heldResponses,
    isShort: deps.isShort,
    bodyRoom: createBodyMemoryBudget(),
    counters,
    counting,
    settings,
    readBalance: balanceReader(db),
    random: Math.random,
    onTrouble,
    onRefused: (channelId, place, refusal) => void automatic.onRefusal(channelId, place, refusal).catch(onTrouble),
    onEnd: (ended) => log.info({ event: "call", ...ended }),
  };
  const channelKeys = channelKeyStore(db);
  let running = 0;

  return {
    async answer(exchange, path) {
      running += 1;
      try {
        await routeRelay(exchange, path, relay);
      } finally {
        running -= 1;
      }
    },
    realtime: openRealtime(relay),
    runningCalls: () => running,
    health: { breakers: breakers.all, keyCooldowns: keyRests.all },
    async testChannel(row, model) {
      const keys = openChannelKeys(seal, row, await channelKeys.ofChannels([row.uuid]));
      const answer = await askChannel(sending, relayChannel(row, keys), model);
      if (answer.ok) breakers.enter(row.id, answer.modelName).worked();
      return answer;
    },
    sweep: () => sweep(db, { now: now(), isLive: holds.isLive, startedAtId }),
    async purgeStoredResponses() {
      await db.write([heldResponses.sweep(now())]);
    },
    async close() {
      await holds.close();
      await counting.close();
    },
  };
}
