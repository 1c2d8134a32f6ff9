import type { MailTexts } from "./mail-texts.ts";

export const mailTextsDe: MailTexts = {
  verification: {
    subject: "Ihr Bestätigungscode",
    before: ["Ihr Bestätigungscode lautet:"],
    after: [
      "Er gilt einmal und 10 Minuten lang. Haben Sie ihn nicht angefordert, können Sie diese E-Mail ignorieren.",
    ],
  },
  alreadyRegistered: {
    subject: "Sie haben bereits ein Konto",
    before: [
      "Für diese Adresse wurde ein Bestätigungscode angefordert; sie gehört bereits zu einem Konto.",
      "Melden Sie sich mit diesem Konto an oder setzen Sie sein Passwort zurück. Waren Sie es nicht, können Sie diese E-Mail ignorieren.",
    ],
  },
  passwordReset: {
    subject: "Setzen Sie Ihr Passwort zurück",
    before: ["Über diesen Link wählen Sie ein neues Passwort:"],
    after: [
      "Er gilt einmal und 10 Minuten lang. Haben Sie ihn nicht angefordert, können Sie diese E-Mail ignorieren: Es wurde nichts geändert.",
    ],
  },
  passwordChanged: ({ isByLink, passkeys }) => ({
    subject: "Ihr Passwort wurde geändert",
    before: [
      isByLink
        ? "Das Passwort Ihres Kontos wurde über einen zugesandten Link geändert; alle Sitzungen wurden abgemeldet."
        : "Das Passwort Ihres Kontos wurde geändert; alle anderen Sitzungen wurden abgemeldet.",
      ...(passkeys === ""
        ? []
        : [
            `Diese Passkeys melden weiterhin ohne das Passwort an: ${passkeys}. Entfernen Sie in Ihrem Konto alle, die Sie nicht kennen.`,
          ]),
      "Waren Sie es nicht, bitten Sie den Betreiber dieses Servers sofort um Hilfe.",
    ],
  }),
  addressChanged: {
    subject: "Ihre E-Mail-Adresse wurde geändert",
    before: [
      "Ihr Konto hat jetzt eine andere E-Mail-Adresse; diese hier gehört nicht mehr dazu.",
      "Waren Sie es nicht, ändern Sie Ihr Passwort und bitten Sie den Betreiber dieses Servers sofort um Hilfe.",
    ],
  },
  passkeyCopied: ({ name }) => ({
    subject: "Einer Ihrer Passkeys wurde abgelehnt",
    before: [
      `Eine Anmeldung an Ihrem Konto mit dem Passkey „${name}“ wurde abgelehnt: Das Gerät zählt weniger als zuvor, wie es bei einer Kopie wäre.`,
      "Melden Sie sich auf anderem Weg an, entfernen Sie diesen Passkey in Ihren persönlichen Einstellungen und fügen Sie einen neuen hinzu.",
    ],
  }),
  providerLink: ({ provider, username }) => ({
    subject: "Anmeldung verbinden",
    before: [
      `Sie haben sich mit ${provider} angemeldet, und das Konto ${username} hat Ihre E-Mail-Adresse. Dieser Code verbindet beide:`,
    ],
    after: [
      "Er gilt einmal und 10 Minuten lang. Haben Sie sich gerade nicht angemeldet, ignorieren Sie diese E-Mail und geben Sie den Code niemandem.",
    ],
  }),
  providerLinked: ({ provider }) => ({
    subject: "Ein Identitätsanbieter wurde mit Ihrem Konto verbunden",
    before: [
      `Eine Anmeldung mit ${provider} hat Ihr Konto an seiner E-Mail-Adresse gefunden, die der Anbieter bestätigt hat. Von nun an öffnet sie das Konto.`,
      "Wenn Sie das nicht waren, wenden Sie sich an den Administrator dieses Servers.",
    ],
  }),
  teamInvitation: ({ team, inviter, days }) => ({
    subject: `Einladung in das Team ${team}`,
    before: [
      `${inviter} lädt Sie in das Team ${team} ein. Seine Mitglieder teilen sich ein Guthaben für API-Aufrufe.`,
    ],
    after: [
      `Der Link gilt einmal, ${days} Tage lang und für ein Konto mit dieser E-Mail-Adresse.`,
      "Wenn Sie den Absender nicht kennen, ignorieren Sie diese E-Mail. Ohne Ihre Antwort geschieht nichts.",
    ],
  }),
  lowBalance: ({ username, left }) => ({
    subject: "Ihr Guthaben ist niedrig",
    before: [
      `Das Guthaben des Kontos ${username} ist auf ${left} gesunken.`,
      "Ist es aufgebraucht, werden Aufrufe mit seinen Tokens abgelehnt.",
    ],
  }),
  tokenDisabled: ({ name }) => ({
    subject: "Einer Ihrer API-Schlüssel wurde deaktiviert",
    before: [
      `Ein Administrator hat Ihren API-Schlüssel „${name}“ deaktiviert.`,
      "Programme, die ihn verwenden, werden abgelehnt.",
    ],
  }),
  tokenPaused: ({ name }) => ({
    subject: "Einer Ihrer API-Schlüssel wurde pausiert",
    before: [
      `Ein Administrator hat Ihren API-Schlüssel „${name}“ pausiert.`,
      "Programme, die ihn verwenden, werden abgelehnt, bis ihn jemand fortsetzt.",
    ],
  }),
  keysPaused: ({ budget }) => ({
    subject: "Ein Budget hat API-Schlüssel von Ihnen pausiert",
    before: [
      `Das Budget „${budget}“ ist aufgebraucht. Die API-Schlüssel, die es begrenzt, wurden pausiert.`,
      "Programme, die sie verwenden, werden abgelehnt, bis jemand sie fortsetzt.",
    ],
  }),
  budgetAsked: ({ budget, username, amount, reason }) => ({
    subject: `${username} bittet um mehr vom Budget ${budget}`,
    before: [
      `${username} bittet um ${amount} mehr vom Budget „${budget}“ im laufenden Zeitraum.`,
      ...(reason === "" ? [] : [`Begründung: ${reason}`]),
    ],
    after: ["Was Sie gewähren, endet mit dem Zeitraum."],
  }),
  budgetAnswered: ({ budget, granted }) =>
    granted === null
      ? {
          subject: `Ihre Bitte zum Budget ${budget} wurde abgelehnt`,
          before: [`Das Budget „${budget}“ wurde im laufenden Zeitraum nicht erhöht.`],
        }
      : {
          subject: `Das Budget ${budget} wurde erhöht`,
          before: [
            `Sie können im laufenden Zeitraum ${granted} mehr vom Budget „${budget}“ ausgeben.`,
          ],
        },
  keyPausedBySpike: ({ key, spent, usual }) => ({
    subject: "Einer Ihrer API-Schlüssel wurde pausiert",
    before: [
      `Der API-Schlüssel „${key}“ wurde pausiert: Er hat heute (UTC) ${spent} ausgegeben, an einem üblichen Tag ${usual}.`,
      "Programme, die ihn verwenden, werden abgelehnt, bis jemand ihn fortsetzt.",
    ],
  }),
  tokenReplaced: ({ name }) => ({
    subject: "Einer Ihrer API-Schlüssel wurde ersetzt",
    before: [
      `Ein Administrator hat Ihren API-Schlüssel „${name}“ ersetzt; der alte wird abgelehnt.`,
      "Melden Sie sich an, kopieren Sie den neuen Schlüssel und tragen Sie ihn in die Programme ein, die den alten verwendet haben.",
    ],
  }),
  tokenRotated: ({ name, end }) => ({
    subject: "Ihr API-Schlüssel hat einen neuen Wert",
    before: [
      `Ihr API-Schlüssel „${name}“ hat aus Ihrem Konto heraus einen neuen Wert bekommen.`,
      end === null
        ? "Der alte wird ab jetzt abgelehnt."
        : `Der alte funktioniert bis ${end}. Tragen Sie den neuen vorher in Ihre Programme ein.`,
    ],
    after: [
      "Wenn Sie das nicht waren, ändern Sie Ihr Passwort und deaktivieren Sie den Schlüssel.",
    ],
  }),
  notices: {
    channel_disabled: ({ channel, reason }) => ({
      subject: `Kanal ${channel} deaktiviert`,
      before: [`Der Kanal ${channel} wurde automatisch deaktiviert. ${reason}`],
    }),
    channel_enabled: ({ channel }) => ({
      subject: `Kanal ${channel} aktiviert`,
      before: [`Der Kanal ${channel} wurde wieder aktiviert: Sein Test war erfolgreich`],
    }),
    channel_suspended: ({ channel, model, reason, minutes }) => ({
      subject: `Kanal ${channel} ausgesetzt`,
      before: [
        `Aufrufe von ${model} über den Kanal ${channel} schlagen seit ${minutes} Minuten fehl (${reason}). Das Gateway übergeht ihn, wo ein anderer Kanal antworten kann, und versucht es ab und zu mit ihm.`,
      ],
    }),
    channel_key_disabled: ({ channel, place, hint, reason }) => ({
      subject: `Ein Schlüssel des Kanals ${channel} deaktiviert`,
      before: [
        `Der Schlüssel ${place} (…${hint}) des Kanals ${channel} wurde automatisch deaktiviert. ${reason}`,
      ],
    }),
    call_not_covered: ({ channel, calls }) => ({
      subject: `Kanal ${channel}: Ein Aufruf kostete mehr, als gedeckt war`,
      before: [
        `Ein Aufruf des Kanals ${channel} kostete mehr als die Reservierung, das Guthaben und die zulässigen Schulden. Der Rest wurde abgeschrieben; die Protokollzeile nennt den Betrag. Solche Aufrufe an einem Tag: ${calls}.`,
      ],
    }),
    usage_capped: ({ channel }) => ({
      subject: `Nutzung des Kanals ${channel} begrenzt`,
      before: [
        `Der Kanal ${channel} hat mehr Nutzung gemeldet, als ein Aufruf haben kann; die Obergrenze wurde berechnet. Die Protokollzeilen sind mit usage_capped markiert.`,
      ],
    }),
    quota_waits: ({ administrator, amount }) => ({
      subject: "Kontingent wartet auf Ihre Freigabe",
      before: [
        `Der Administrator ${administrator} möchte ${amount} ausgeben, mehr als AdminIssueLimit heute zulässt.`,
      ],
    }),
    budget_asked: ({ username, budget, amount }) => ({
      subject: `${username} bittet um mehr vom Budget ${budget}`,
      before: [
        `${username} bittet um ${amount} mehr vom Budget „${budget}“ im laufenden Zeitraum.`,
      ],
    }),
    team_without_admin: ({ team }) => ({
      subject: `Das Team ${team} hat keinen Team-Admin mehr`,
      before: [
        `Kein Team-Admin des Teams ${team} hat ein aktiviertes Konto. Seine Schlüssel funktionieren weiter, aber niemand im Team kann Mitglieder, Schlüssel und Budgets verwalten.`,
      ],
    }),
    channel_balance_low: ({ channel, dollars }) => ({
      subject: `Guthaben des Kanals ${channel} ist niedrig`,
      before: [
        `Der Anbieter des Kanals ${channel} meldet ein Guthaben von ${dollars}. Ist es aufgebraucht, schlagen Aufrufe dieses Kanals fehl.`,
      ],
    }),
    model_unserved: ({ model }) => ({
      subject: `Kein Kanal bedient ${model}`,
      before: [
        `Das Modell ${model} wurde heute aufgerufen, und jeder Kanal, der es anbietet, ist deaktiviert oder ausgesetzt. Aufrufe schlagen fehl.`,
      ],
    }),
    calls_failing: ({ model, calls, failed }) => ({
      subject: `Aufrufe von ${model} schlagen fehl`,
      before: [
        `${failed} von ${calls} Aufrufen des Modells ${model} sind in etwa einer Stunde fehlgeschlagen.`,
      ],
    }),
    calls_slow: ({ model, medianMs, usualMs }) => ({
      subject: `Aufrufe von ${model} sind langsam`,
      before: [
        `Der erste Inhalt der Aufrufe von ${model} kommt nach ${medianMs} ms (Median etwa einer Stunde). Zu dieser Tageszeit waren es in den letzten sieben Tagen ${usualMs} ms.`,
      ],
    }),
    spend_spiking: ({ key, username, spent, usual, isPaused }) => ({
      subject: `API-Schlüssel ${key} gibt mehr aus als üblich`,
      before: [
        `Der API-Schlüssel „${key}“ von ${username} hat heute (UTC) ${spent} ausgegeben. An einem üblichen Tag sind es ${usual}.`,
        ...(isPaused
          ? [
              "Der API-Schlüssel wurde pausiert. Er funktioniert wieder, sobald sein Eigentümer oder ein Administrator ihn fortsetzt.",
            ]
          : []),
      ],
    }),
    price_missing: ({ model }) => ({
      subject: `Für ${model} ist kein Preis angegeben`,
      before: [
        `Das Modell ${model} wurde heute aufgerufen, und für es ist kein Preis angegeben: weder von Ihnen noch von seinem Kanal noch in der Preisliste. Seine Aufrufe kosten den Standardpreis.`,
      ],
    }),
    price_mismatch: ({ channel, ours, theirs }) => ({
      subject: `Kanal ${channel}: sein Anbieter berechnet etwas anderes`,
      before: [
        `Nach unseren Preisen kosteten die Aufrufe des Kanals ${channel} an den letzten Tagen, die sein Anbieter abgeschlossen hat, ${ours}. Der Anbieter hat ${theirs} berechnet.`,
      ],
    }),
    model_retiring: ({ model, endsOn, calls, users, replacement }) => ({
      subject: `${model} endet am ${endsOn}`,
      before: [
        `Der Anbieter beendet das Modell ${model} am ${endsOn} (UTC). Binnen 14 Tagen hat es ${calls} Aufrufe beantwortet; Benutzer, die es aufriefen: ${users}.`,
        ...describeReplacement(replacement),
      ],
    }),
    own_model_retiring: ({ model, endsOn, calls, replacement }) => ({
      subject: `${model} endet am ${endsOn}`,
      before: [
        `Der Anbieter beendet das Modell ${model} am ${endsOn} (UTC). Ihre API-Schlüssel haben es binnen 14 Tagen ${calls} Mal aufgerufen; solche Aufrufe schlagen ab dann fehl.`,
        ...describeReplacement(replacement),
      ],
    }),
    prices_changed: ({ models, model, list }) => ({
      subject: "Preise haben sich geändert",
      before: [
        `Die Preisliste ${list} ändert Preise benutzter Modelle um mehr als ein Fünftel: ${models}, darunter ${model}. Nichts ändert sich, bevor der Root-Benutzer sie auf der Seite der Preise übernimmt.`,
      ],
    }),
    ledger_drifts: ({ findings, first }) => ({
      subject: "Die Bücher stimmen nicht",
      before: [
        `Die tägliche Prüfung der Bücher hat ${findings} Abweichungen gefunden. Die erste: ${first}.`,
      ],
    }),
    trail_broken: ({ fault }) => ({
      subject: "Die Aufzeichnung der Änderungen ist beschädigt",
      before: [
        `Die tägliche Prüfung der Aufzeichnung der Änderungen hat einen Fehler gefunden: ${fault}.`,
      ],
    }),
    disk_low: ({ gigabytes, percent }) => ({
      subject: "Der Datenträger ist fast voll",
      before: [
        `Auf dem Datenträger der Datenbank sind noch ${gigabytes} GB frei, ${percent} % davon. Ist er voll, werden Aufrufe abgelehnt.`,
      ],
    }),
    backup_old: ({ last, hours }) => ({
      subject: "Die letzte Sicherung ist zu alt",
      before: [
        last === ""
          ? `Es ist keine Sicherung der Datenbank bekannt, und alle ${hours} Stunden soll es eine geben.`
          : `Die letzte Sicherung der Datenbank ist vom ${last}, und alle ${hours} Stunden soll es eine geben.`,
      ],
    }),
    clock_behind: ({ minutes }) => ({
      subject: "Die Uhr geht hinter den neuesten Einträgen",
      before: [
        `Die neuesten Einträge der Datenbank sind der Uhr des Gateways ${minutes} Minuten voraus. Neue Aufrufe werden mit der richtigen Zeit angezeigt, in Summen nach Stunde und Tag aber später gezählt, bis die Uhr aufgeholt hat; die Abrechnung stimmt. Geht die Uhr falsch, per NTP stellen.`,
      ],
    }),
    database_refused: ({ minutes, message }) => ({
      subject: "Die Datenbank hat nicht gearbeitet",
      before: [
        `Die Datenbank hat ${minutes} Minuten lang nichts angenommen und arbeitet wieder. Ihre Meldung: ${message}`,
      ],
    }),
    root_signed_in: ({ username, network }) => ({
      subject: `${username} hat sich aus einem neuen Netz angemeldet`,
      before: [
        `${username} (Hauptadministrator) hat sich aus dem Netz von ${network} angemeldet, aus dem sich dieses Konto zuvor nicht angemeldet hatte.`,
      ],
    }),
    sign_ins_locked: ({ locks }) => ({
      subject: "Viele Anmeldungen sind gesperrt",
      before: [
        `Mindestens ${locks} Anmeldungen wurden binnen einer Stunde gesperrt, jede nach wiederholten Fehlversuchen.`,
      ],
    }),
    budget_reached: ({ budget, percent, spent, amount }) => ({
      subject: `Budget ${budget}: ${percent} % erreicht`,
      before: [
        `Das Budget ${budget} hat in seinem laufenden Zeitraum ${percent} % erreicht: ${spent} von ${amount} sind ausgegeben.`,
      ],
    }),
    job_failing: ({ job }) => ({
      subject: `Hintergrundarbeit schlägt fehl: ${job}`,
      before: [`Die Hintergrundarbeit „${job}“ ist mehrmals hintereinander fehlgeschlagen.`],
    }),
    notices_failing: ({ destination, answer }) => ({
      subject: `Benachrichtigungen an ${destination} schlagen fehl`,
      before: [
        `Das Ziel ${destination} hat seit einer Stunde keine Benachrichtigung angenommen. Letzte Antwort: ${answer}`,
      ],
    }),
    wallet_low: ({ username, left, threshold }) => ({
      subject: "Ihr Guthaben ist niedrig",
      before: [
        `Das Guthaben des Kontos ${username} beträgt noch ${left} und liegt damit unter ${threshold}.`,
      ],
    }),
    key_expiring: ({ key, until }) => ({
      subject: `API-Schlüssel ${key} läuft bald ab`,
      before: [
        `Ihr API-Schlüssel „${key}“ läuft am ${until} ab. Programme, die ihn nutzen, werden dann abgewiesen.`,
      ],
    }),
    key_expired: ({ key }) => ({
      subject: `API-Schlüssel ${key} ist abgelaufen`,
      before: [
        `Ihr API-Schlüssel „${key}“ ist abgelaufen. Programme, die ihn nutzen, werden abgewiesen.`,
      ],
    }),
    management_key_expiring: ({ key, until }) => ({
      subject: `Verwaltungsschlüssel ${key} läuft bald ab`,
      before: [
        `Ihr Verwaltungsschlüssel „${key}“ läuft am ${until} ab. Legen Sie für seine Programme einen neuen an; mit diesem werden sie dann abgewiesen.`,
      ],
    }),
    management_key_expired: ({ key }) => ({
      subject: `Verwaltungsschlüssel ${key} ist abgelaufen`,
      before: [
        `Ihr Verwaltungsschlüssel „${key}“ ist abgelaufen. Programme, die ihn nutzen, werden abgewiesen.`,
      ],
    }),
  },
  remedies: {
    "channel.disabled":
      "Beheben Sie die Ursache beim Anbieter, testen Sie dann den Kanal und aktivieren Sie ihn.",
    "channel.suspended":
      "Sehen Sie nach, was der Anbieter über seinen Dienst sagt, testen Sie den Kanal, und deaktivieren Sie ihn, solange es dauert.",
    "channel.key_disabled":
      "Ersetzen Sie den Schlüssel im Kanal, oder aktivieren Sie ihn, sobald der Anbieter ihn wieder annimmt.",
    "channel.balance_low":
      "Laden Sie das Konto beim Anbieter auf, oder lassen Sie einen anderen Kanal seine Modelle bedienen.",
    "model.unserved": "Aktivieren Sie einen Kanal dieses Modells, oder fügen Sie einen hinzu.",
    "calls.failing":
      "Sehen Sie in den Protokollen dieses Modells nach, und testen Sie die Kanäle, die es bedienen.",
    "calls.slow":
      "Vergleichen Sie auf der Übersicht die Latenz der Kanäle dieses Modells und bevorzugen Sie einen schnelleren.",
    "spend.spike":
      "Sind die Ausgaben nicht gewollt, deaktivieren Sie den Schlüssel; sonst geben Sie ihm eine passende Grenze.",
    "price.missing":
      "Geben Sie seinen Preis auf der Seite der Preise an, oder in der Konfiguration seines Kanals.",
    "price.mismatch":
      "Vergleichen Sie Tage und Modelle auf der Seite des Kostenberichts des Kanals und berichtigen Sie die Preise.",
    "model.retiring":
      "Bieten Sie ein neueres Modell an und überbrücken Sie den Namen mit einem virtuellen Modell.",
    "price.changed":
      "Sehen Sie sich die Unterschiede auf der Seite der Preise an und übernehmen Sie die richtigen.",
    "ledger.drift":
      "Führen Sie „tollgate audit“ aus, das jede nennt, und melden Sie sie: Nur ein Fehler oder ein Eingriff in die Datenbank verursacht sie.",
    "trail.broken":
      "Vergleichen Sie mit einer Sicherung, seit wann das so ist, und prüfen Sie, wer in die Datenbank schreiben kann. „tollgate audit --trail“ zeigt, wie weit die Kette reicht.",
    "storage.trouble":
      "Je nachdem, was genannt ist: Schaffen Sie Platz, oder bewahren Sie Protokolle und Traces weniger Tage auf; sorgen Sie dafür, dass die Sicherungen wieder laufen; sehen Sie im Protokoll der Datenbank nach.",
    "sign_in.root":
      "Falls Sie das nicht waren: Beenden Sie alle Anmeldungen dieses Kontos, ändern Sie sein Passwort, und lesen Sie das Änderungsprotokoll.",
    "sign_in.lockouts":
      "Womöglich werden Passwörter geraten: Verlangen Sie zweite Faktoren, und beschränken Sie, wer die Konsole erreicht.",
    "budget.reached":
      "Sind die Ausgaben gewollt, erhöhen Sie das Budget; sonst zeigen die Protokolle, was sie verursacht.",
    "call.not_covered":
      "Prüfen Sie die Preise der Modelle des Kanals und die längste Antwort, die seine Aufrufe verlangen dürfen.",
    "usage.capped": "Vergleichen Sie diese Aufrufe mit den Zahlen des Anbieters.",
    "quota.waiting": "Genehmigen Sie es auf der Seite Benutzer, oder lehnen Sie es dort ab.",
    "budget.asked": "Gewähren Sie es auf der Seite Budgets, oder lehnen Sie es dort ab.",
    "team.without_admin":
      "Machen Sie auf der Seite des Teams ein Mitglied zum Team-Admin und Inhaber, oder aktivieren Sie das Konto eines Team-Admins.",
    "job.failing":
      "Das Protokoll des Gateways nennt den Grund. Die Arbeit wird von selbst wiederholt.",
    "notice.failing":
      "Testen Sie das Ziel. Wenn seine Adresse oder sein Token nicht mehr gilt, löschen Sie es und fügen Sie es neu hinzu.",
    "wallet.low":
      "Laden Sie Ihr Konto auf: Ist das Guthaben verbraucht, werden Aufrufe abgewiesen.",
    "key.expiring":
      "Geben Sie dem Schlüssel ein späteres Ende oder ersetzen Sie ihn in Ihren Programmen.",
    "own_budget.reached":
      "Sind die Ausgaben gewollt, erhöhen Sie die Grenze oder bitten Sie darum; sonst zeigen Ihre Protokolle, was sie verursacht.",
    "own_model.retiring": "Wählen Sie vor diesem Tag ein anderes Modell in Ihren Programmen.",
  },
  alertResolved: ({ subject }) => ({
    subject: `Behoben: ${subject}`,
    before: ["Das ist nicht mehr der Fall."],
  }),
  alertReminder: ({ subject }) => ({
    subject: `Hält an: ${subject}`,
    before: ["Das ist seit einem Tag der Fall."],
  }),
  alertFlapping: ({ subject }) => ({
    subject: `Unbeständig: ${subject}`,
    before: [
      "Das hat innerhalb einer Stunde mehrmals begonnen und geendet. Sie hören wieder davon, wenn es eine Stunde lang beständig war.",
    ],
  }),
  alertDigest: ({ count }) => ({
    subject: `${count} Warnungen`,
    before: ["Mehrere Warnungen kamen zusammen:"],
  }),
  alertExample: {
    subject: "Beispiel einer Benachrichtigung",
    before: ["Dies ist ein Beispiel: Benachrichtigungen dieses Servers erreichen Sie hier."],
  },
  destinationCode: ({ code }) => ({
    subject: "Code für Ihre Benachrichtigungen",
    before: [
      `Ihr Code lautet ${code}. Geben Sie ihn in der Konsole ein, um hier Benachrichtigungen zu erhalten.`,
      "Er gilt einmal und 10 Minuten lang. Haben Sie ihn nicht angefordert, können Sie diese Nachricht ignorieren.",
    ],
  }),
};

const describeReplacement = (replacement = ""): string[] =>
  replacement === "" ? [] : [`An seiner Stelle: ${replacement}.`];
