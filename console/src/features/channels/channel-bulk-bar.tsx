import { msg } from "@lingui/core/macro";
import { changeManyChannels } from "@tollgate/contract/api/bulk-verbs.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { useState } from "react";
import { BulkBar } from "../../components/bulk/bulk-bar.tsx";
import { type BulkVerb, buildPlainVerb, buildTextVerb } from "../../components/bulk/bulk-verb.ts";
import { showMember, showStatus } from "../../components/bulk/bulk-words.ts";
import { restoreMember, restoreStatus } from "../../components/bulk/reverse-acts.ts";
import type { ChosenRows } from "../../components/bulk/use-row-selection.ts";
import type { StatusLabel } from "../../components/lists/status-badge.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { priceRequest, showPrice } from "./bulk-price.ts";
import { channelLists } from "./channel-lists.ts";

const statuses: Readonly<Record<number, StatusLabel>> = {
  [channelStatus.enabled]: { label: msg`Active`, tone: "neutral" },
  [channelStatus.disabled]: { label: msg`Disabled`, tone: "neutral" },
  [channelStatus.autoDisabled]: { label: msg`Auto-disabled`, tone: "warn" },
};
const DifferencesDialog = buildLazyPart(
  async () => (await import("./model-differences-dialog.tsx")).ModelDifferencesDialog,
);
const models = {
  name: "models",
  label: msg`Models`,
  help: msg`Names separated by commas.`,
} as const;

const verbs: readonly BulkVerb[] = [
  buildPlainVerb({
    id: "enable",
    label: msg`Enable`,
    show: showStatus(statuses),
    undo: restoreStatus,
  }),
  buildPlainVerb({
    id: "disable",
    label: msg`Disable`,
    show: showStatus(statuses),
    undo: restoreStatus,
  }),
  buildTextVerb(
    {
      id: "replace_key",
      label: msg`Replace key`,
      isInMenu: true,
      warning: msg`Channels that send their key to another address than the first one are skipped. The new key is not tested.`,
      show: ({ key_hint }) => (key_hint ? `…${key_hint}` : ""),
    },
    { name: "key", label: msg`New key`, kind: "secret" },
  ),
  {
    id: "set_price",
    label: msg`Set a price`,
    isInMenu: true,
    warning: msg`The price applies to text of one model. Its tiers and cache prices of before go; limits and prices of images and audio stay.`,
    fields: [
      { name: "model", label: msg`Model` },
      { name: "input", label: msg`Input, US dollars per million tokens`, kind: "number" },
      { name: "output", label: msg`Output, US dollars per million tokens`, kind: "number" },
      {
        name: "cached",
        label: msg`Cached input, US dollars per million tokens`,
        help: msg`Leave empty to charge cached tokens like other input.`,
        kind: "number",
        isOptional: true,
      },
    ],
    request: priceRequest,
    show: showPrice,
  },
  buildTextVerb(
    {
      id: "add_models",
      label: msg`Add models`,
      isInMenu: true,
      show: showMember("models"),
      // Only the models that came, or went, are named.
      undo: ({ after }) => ({ verb: "remove_models", models: after.models }),
    },
    models,
  ),
  buildTextVerb(
    {
      id: "remove_models",
      label: msg`Remove models`,
      isInMenu: true,
      show: showMember("models"),
      undo: ({ before }) => ({ verb: "add_models", models: before.models }),
    },
    models,
  ),
  buildTextVerb(
    {
      id: "set_group",
      label: msg`Set groups`,
      isInMenu: true,
      show: showMember("group"),
      undo: restoreMember("set_group", "group"),
    },
    { name: "group", label: msg`Groups`, help: msg`Names separated by commas.` },
  ),
  {
    id: "set_priority",
    label: msg`Set priority`,
    isInMenu: true,
    fields: [{ name: "priority", label: msg`Priority`, kind: "number" }],
    request: ({ priority = "" }) =>
      /^-?\d{1,9}$/.test(priority.trim())
        ? { verb: "set_priority", priority: Number(priority) }
        : undefined,
    show: showMember("priority"),
    undo: restoreMember("set_priority", "priority"),
  },
  {
    id: "set_weight",
    label: msg`Set weight`,
    isInMenu: true,
    fields: [{ name: "weight", label: msg`Weight`, kind: "number" }],
    request: ({ weight = "" }) =>
      /^\d{1,9}$/.test(weight.trim()) ? { verb: "set_weight", weight: Number(weight) } : undefined,
    show: showMember("weight"),
    undo: restoreMember("set_weight", "weight"),
  },
  {
    id: "set_tag",
    label: msg`Set tag`,
    isInMenu: true,
    fields: [
      { name: "tag", label: msg`Tag`, help: msg`Leave empty to remove the tag.`, isOptional: true },
    ],
    request: ({ tag = "" }) => ({ verb: "set_tag", tag: tag.trim() }),
    show: showMember("tag"),
    undo: restoreMember("set_tag", "tag"),
  },
  buildPlainVerb({
    id: "delete",
    label: msg`Delete`,
    isInMenu: true,
    isDanger: true,
    warning: msg`This cannot be undone.`,
  }),
];

export function ChannelBulkBar({ chosen }: { chosen: ChosenRows }) {
  const [isComparing, setComparing] = useState(false);
  const canCompare = hasFeature(useSession().status, "model_differences");
  return (
    <>
      <BulkBar
        endpoint={changeManyChannels}
        refreshes={channelLists}
        verbs={verbs}
        chosen={chosen}
        {...(canCompare && {
          other: { label: msg`Compare models`, onSelect: () => setComparing(true) },
        })}
      />
      {isComparing && (
        <DifferencesDialog
          ids={[...chosen.ids]}
          onDone={chosen.clear}
          onClose={() => setComparing(false)}
        />
      )}
    </>
  );
}
