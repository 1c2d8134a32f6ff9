/** The models that go with a channel. Pure. */
import { type Channel, channelStatus } from "@tollgate/contract/catalogue/channels.ts";

type Offer = Pick<Channel, "id" | "models" | "group" | "status">;

const readNames = (list: string): string[] => list.split(",").flatMap((name) => name.trim() || []);

/** `findOnlyModels` names the models that no other enabled channel of the same groups offers. */
export function findOnlyModels(channel: Offer, all: readonly Offer[]): string[] {
  if (channel.status !== channelStatus.enabled) return [];
  const others = all.filter(
    ({ id, status }) => id !== channel.id && status === channelStatus.enabled,
  );
  const groups = readNames(channel.group);
  return readNames(channel.models).filter((model) =>
    groups.some((group) => !others.some((other) => offers(other, model, group))),
  );
}

const offers = ({ models, group }: Offer, model: string, wanted: string): boolean =>
  readNames(models).includes(model) && readNames(group).includes(wanted);
