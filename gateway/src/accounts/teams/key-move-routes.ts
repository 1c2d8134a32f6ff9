/** API routes by which keys move into a team, with the consent of owner and admin, and out again. */
import {
  answerKeyOffer,
  type KeyMove,
  type KeyOffer,
  listKeyOffers,
  offerKeyToTeam,
  releaseTeamKey,
} from "@tollgate/contract/accounts/team-key-moves.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { Write } from "../../storage/database.ts";
import { checkTeamKeyLifetime } from "../tokens/team-key-lifetime.ts";
import type { TokenRow } from "../tokens/token-store.ts";
import { checkMovable, describeJoining, describeLeaving, writeTerms } from "./key-move-rules.ts";
import type { KeyMoveStore, KeyOfferRow } from "./key-move-store.ts";
import { type ReachedTeam, reachTeam, type TeamCall, type TeamDeps } from "./reach-team.ts";
import { checkMayDo, mayDo } from "./team-rules.ts";
import type { TeamRow } from "./team-store.ts";

interface KeyMoveDeps extends TeamDeps {
  moves: KeyMoveStore;
}

type MoveCall<Body> = TeamCall & { body: Body };

export function buildKeyMoveRoutes({ db, teams, users, options, moves }: KeyMoveDeps): ApiRoute[] {
  const keysMax = () => options.number("TokensPerUserMax");
  const write = (batch: Write[]) => db.write(batch, { changes: ["tokens", "budgets"] });
  const existingOwner = async (userId: number) => {
    const owner = await users.byId(userId);
    if (!owner) throw refuse("user_not_found");
    return owner;
  };
  const existingKey = async (userId: number, tokenId: number): Promise<TokenRow> => {
    const token = await moves.ownKey(userId, tokenId);
    if (!token) throw refuse("token_not_found");
    checkMovable(token);
    return token;
  };
  const describeOffer = async (token: TokenRow, team: TeamRow): Promise<KeyMove> =>
    describeJoining(options, token, await existingOwner(token.user_id), team);
  const tell = ({ row }: ReachedTeam, { name, username }: KeyMove) => ({
    name: row.name,
    key: name,
    user: username,
  });

  const offer = async (call: MoveCall<BodyOf<typeof offerKeyToTeam>>) => {
    const reached = await reachTeam({ teams }, call, call.params.id);
    const { row, standings } = reached;
    checkMayDo(standings, "use");
    const { token_id, preview } = call.body;
    const token = await existingKey(call.principal.id, token_id);
    checkTeamKeyLifetime(options, token.expired_at, call.now);
    const move = await describeOffer(token, row);
    const isMoved = mayDo(standings, "manage") && !preview;
    if (preview) return { ...move, is_moved: false };
    if (isMoved)
      await write([
        ...moves.moveIn(token, row.id, keysMax(), call.now),
        ...call.audit("team.move_key", row.uuid, tell(reached, move)),
      ]);
    else {
      const offered = { token_id, team_id: row.id, user_id: token.user_id };
      await db.write([
        ...moves.put({ ...offered, terms: writeTerms(move, token) }, call.now),
        ...call.audit("team.offer_key", row.uuid, tell(reached, move)),
      ]);
    }
    return { ...move, is_moved: isMoved };
  };

  const viewOffers = async (team: TeamRow, offers: readonly KeyOfferRow[]): Promise<KeyOffer[]> => {
    const tokens = await moves.tokens(offers.map(({ token_id }) => token_id));
    const shown = offers.map(async (row) => {
      const token = tokens.get(row.token_id);
      const { created_at, expires_at, terms } = row;
      if (!token) return [];
      const move = await describeOffer(token, team);
      return [{ ...move, created_at, expires_at, is_stale: writeTerms(move, token) !== terms }];
    });
    return (await Promise.all(shown)).flat();
  };

  const answer = async (call: MoveCall<BodyOf<typeof answerKeyOffer>>): Promise<void> => {
    const reached = await reachTeam({ teams }, call, call.params.id);
    const { row, standings } = reached;
    const { token_id, accept } = call.body;
    const offered = await moves.offer(row.id, token_id, call.now);
    const isOwn = offered?.user_id === call.principal.id;
    // The offer of another member does not exist for a member.
    if (!offered || !(isOwn || mayDo(standings, "see"))) throw refuse("key_offer_not_found");
    if (accept || !isOwn) checkMayDo(standings, "manage");
    const token = await existingKey(offered.user_id, token_id);
    const move = await describeOffer(token, row);
    if (!accept) {
      await db.write([
        moves.take(offered),
        ...call.audit("team.answer_key", row.uuid, tell(reached, move)),
      ]);
      return;
    }
    if (writeTerms(move, token) !== offered.terms) throw refuse("changed_meanwhile");
    checkTeamKeyLifetime(options, token.expired_at, call.now);
    await write([
      // The admin agreed to the team as it was read.
      teams.requireUnchanged(row),
      moves.take(offered),
      ...moves.moveIn(token, row.id, keysMax(), call.now),
      ...call.audit("team.move_key", row.uuid, tell(reached, move)),
    ]);
  };

  const release = async (call: MoveCall<BodyOf<typeof releaseTeamKey>>) => {
    const reached = await reachTeam({ teams }, call, call.params.id);
    const { row, standings } = reached;
    checkMayDo(standings, "administer");
    const token = await teams.token(row.id, { id: call.body.token_id });
    if (!token) throw refuse("token_not_found");
    checkMovable(token);
    const owner = await existingOwner(token.user_id);
    const move = describeLeaving(options, token, owner, row);
    if (!call.body.preview)
      await write([
        ...moves.moveOut(token, row.id, keysMax(), call.now),
        ...call.audit("team.release_key", row.uuid, tell(reached, move)),
      ]);
    return move;
  };

  return [
    apiRoute(offerKeyToTeam, offer),
    apiRoute(listKeyOffers, async (call) => {
      const { row, standings } = await reachTeam({ teams }, call, call.params.id);
      const holder = mayDo(standings, "see") ? undefined : call.principal.id;
      return viewOffers(row, await moves.offers(row.id, holder, call.now));
    }),
    apiRoute(answerKeyOffer, answer),
    apiRoute(releaseTeamKey, release),
  ];
}
