/** Why the gateway disabled a channel, in each language. What a provider said stays as it is. */
import {
  type DisablingKind,
  readDisablingReason,
} from "@tollgate/contract/catalogue/disabling-reasons.ts";
import type { LanguageCode } from "@tollgate/contract/site/languages.ts";

type ReasonTexts = Record<DisablingKind, (first: string, second: string) => string> & {
  /** Before the reason of a channel's last key. */
  noKeyLeft: string;
};

const texts: Readonly<Record<Exclude<LanguageCode, "en">, ReasonTexts>> = {
  de: {
    key_refused: (code) => `Der Anbieter lehnt den Schlüssel ab: ${code}`,
    test_failed: (message) => `Der Test des Kanals schlug fehl: ${message}`,
    test_slow: (took, limit) => `Der Test dauerte ${took} s; die Grenze ist ${limit} s`,
    not_covered: (calls) =>
      `${calls} Aufrufe an einem Tag kosteten mehr, als Reservierung, Guthaben und Schulden decken`,
    noKeyLeft: "Kein Schlüssel ist übrig. ",
  },
  es: {
    key_refused: (code) => `El proveedor rechazó la clave: ${code}`,
    test_failed: (message) => `La prueba del canal falló: ${message}`,
    test_slow: (took, limit) => `La prueba tardó ${took} s; el límite es ${limit} s`,
    not_covered: (calls) =>
      `${calls} llamadas en un día costaron más de lo que cubren la reserva, el saldo y la deuda`,
    noKeyLeft: "No queda ninguna clave. ",
  },
  fr: {
    key_refused: (code) => `Le fournisseur a refusé la clé : ${code}`,
    test_failed: (message) => `Le test du canal a échoué : ${message}`,
    test_slow: (took, limit) => `Le test a duré ${took} s ; la limite est de ${limit} s`,
    not_covered: (calls) =>
      `${calls} appels en un jour ont coûté plus que ce que couvrent réservation, solde et dette`,
    noKeyLeft: "Il ne reste aucune clé. ",
  },
  ja: {
    key_refused: (code) => `プロバイダーがキーを拒否しました：${code}`,
    test_failed: (message) => `チャネルのテストに失敗しました：${message}`,
    test_slow: (took, limit) => `テストに ${took} 秒かかりました（上限は ${limit} 秒）`,
    not_covered: (calls) =>
      `1 日に ${calls} 件の呼び出しが、確保額、残高、負債の上限を超える費用になりました`,
    noKeyLeft: "使えるキーが残っていません。",
  },
  "zh-CN": {
    key_refused: (code) => `提供商拒绝了密钥：${code}`,
    test_failed: (message) => `渠道测试失败：${message}`,
    test_slow: (took, limit) => `测试用了 ${took} 秒，上限为 ${limit} 秒`,
    not_covered: (calls) => `一天内有 ${calls} 次调用的费用超出了预留、余额和欠款所能覆盖的范围`,
    noKeyLeft: "没有可用的密钥了。",
  },
};

/** A reason of another version or server stays in its language. */
export function translateReason(language: LanguageCode, reason: string): string {
  const read = language === "en" ? undefined : readDisablingReason(reason);
  if (language === "en" || read === undefined) return reason;
  const [first, second = ""] = read.values;
  const { noKeyLeft, [read.kind]: write } = texts[language];
  return `${read.isOfLastKey ? noKeyLeft : ""}${write(first, second)}`;
}
