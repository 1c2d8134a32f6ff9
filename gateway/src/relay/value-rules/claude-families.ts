/**
 * Values that families of Claude accept, by the plain name of the model:
 * https://platform.claude.com/docs/en/about-claude/models. Pure.
 */

/**
 * Opus from 4.7 on and every model from 5 on decide by themselves how much they think: they take
 * neither budget nor sampling.
 */
export const thinksAdaptively =
  /claude-(?:opus-4[-.][7-9]|(?:opus|sonnet|haiku|fable|mythos)-(?:[5-9]|\d\d)(?!\d)|mythos-preview)/;
/** Takes an effort in place of a budget: the models above, and 4.6, which takes both. */
export const takesEffort = new RegExp(`${thinksAdaptively.source}|claude-(?:opus|sonnet)-4[-.]6`);
/** `canThink` are all models that think when they are asked to. */
export const canThink = /claude-(?:3[-.]7|(?:opus|sonnet|haiku)-[4-9]|fable|mythos)/;
/** Thinking that cannot be switched off. */
export const alwaysThinks =
  /claude-(?:(?:fable|mythos)-[5-9]|mythos-preview|(?:opus|sonnet)-5[-.]5)/;
/** Models that never take a forced tool. */
export const neverForced = /claude-(?:(?:fable|mythos)-5[-.]1|(?:opus|sonnet)-5[-.]5)/;
/** Forced tools and thinking exclude each other. */
export const forcedOrThinking = /claude-(?:3[-.]7|(?:opus|sonnet|haiku)-4(?![-.]8)(?!\d))/;
/** "This model does not support assistant message prefill." */
export const refusesPrefill =
  /claude-(?:(?:opus|sonnet)-4[-.][6-9]|(?:opus|sonnet|haiku|fable|mythos)-(?:[5-9]|\d\d)(?!\d)|mythos-preview)/;
/** `temperature` and `top_p` exclude each other. */
export const takesOneSampling = /claude-(?:opus-4[-.]1|(?:opus|sonnet|haiku)-4[-.][56])(?!\d)/;
/** `disabled` is no word of theirs: they do not think unless they are asked to. */
export const refusesDisabled = /claude-opus-4[-.][78]/;
/** Thinks unless told otherwise. */
export const thinksUnasked =
  /claude-(?:(?:opus|sonnet|haiku|fable|mythos)-(?:[5-9]|\d\d)(?!\d)|mythos-preview)/;
