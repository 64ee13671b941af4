"""English words that the keyless router may pass over, and words it must never pass over.

A question is answered only if every word of it is accounted for: by the operation's own words, by a name, by an
argument, or by a word here that restricts nothing. So `FILLERS` is a closed list, and words that could turn a question
round (`we owe`, `not`, `next`) are missing from it on purpose.
"""

from __future__ import annotations

FILLERS = frozenset(
    """
    a an the any anything something anyone anybody someone somebody all there that
    much many what which who whose
    is are am do does has have
    me us our my you your
    show give tell list display see find get let please hi hello hey thanks thank
    of for from by to in at on with about and or
    amount amounts total totals money number numbers count figure figures
    report now currently presently still already also really actually
    what's who's how's here's that's let's whats
    """.split()
)
"""Words that restrict nothing. Those that stand before a thing (`in`, `by`) are safe because the thing is looked at."""

DEGREES = frozenset("much many is are was were about".split())
"""After these, and before the words that matched, "how" asks for a figure; "how does X pay" asks for something else."""

PRONOUNS = frozenset("it its they their".split())
"""They mean the record that is named, so without a name they mean one that the question does not say."""

ACRONYMS = frozenset("US IT".split())
"""Pronouns, unless somebody writes them like this."""

PAST = frozenset("was were did had".split())
"""Fillers for events; for balances they ask about the past."""

FILLER_PHRASES = tuple(
    tuple(phrase.split())
    for phrase in (
        "can i see",
        "could i see",
        "may i see",
        "can you show",
        "could you show",
        "can you tell",
        "could you tell",
        "can you give",
        "could you give",
        "i want to see",
        "i would like to see",
        "i'd like to see",
        "i want to know",
        "i would like to know",
        "i'd like to know",
        "i need",
        "do we have",
        "have we got",
        "as of now",
        "right now",
        "at the moment",
        "at present",
        "in total",
        "in all",
    )
)

OWN_PHRASES = tuple(
    tuple(f"{before} {verb}".split())
    for before, verb in (
        *((before, verb) for before in ("did we", "do we") for verb in ("make", "have", "earn", "generate")),
        *((before, verb) for before in ("we", "have we") for verb in ("made", "had", "earned", "generated", "have")),
    )
)
"""Fillers where an operation is about the company itself and names nobody: "revenue that we made"."""

RESTRICTORS = frozenset(
    """
    some whom them him her his he she nothing nobody everyone everybody everything else yet same alone ever often
    always usually sometimes how average mean median end start beginning age old older newer soon
    not no never none neither nor without except excluding exclude but besides unless if instead other others another
    only just exactly over under above below between more less fewer greater least most larger smaller bigger higher
    lower than before after since until till through during within beyond past ago last next previous prior coming
    recent recently latest newest oldest first final each every per half quarter quarters year years month months week
    weeks day days yesterday tomorrow tonight today this these those when why where whether versus vs compared change
    we i can't cannot be been being
    """.split()
)
"""Words that change what is asked. Listed so that lower-case ones are never taken for a name."""

FUTURE = frozenset(
    "will would shall should could might may going expect expected forecast forecasts predict predicted prediction "
    "projection projected estimate estimated future tomorrow upcoming coming next".split()
)

PASSIVE = frozenset("paid owed invoiced billed charged sent given sold bought delivered credited refunded".split())
"""Participles that turn a question round after a name: "Is Bergmann owed", unlike "Is Bergmann overdue"."""

TRANSFERS = PASSIVE | frozenset(
    "pay pays paying owe owes owing bill bills billing send sends give gives sell sells".split()
)
"""Verbs with somebody who gives before them and somebody who gets after them."""

BE = frozenset("is are was were am be been being get gets got getting".split())

RECEIVES = frozenset("receive receives received receiving get gets got collect collects collected".split())
"""Verbs with the one who gets before them."""

PARTIES = frozenset("debtor creditor".split())
"""Others than the one they are of: "Bergmann's debtors"."""

DOES = frozenset("do does did has have had will would can could".split())
"""Verbs that stand before the one who acts: "who does Bergmann owe"."""

JOINERS = frozenset("of and the de la le du der die das van von den und et y i e di da do dos & + /".split())
"""Words and symbols that may stand inside a name, but neither begin nor end it."""

MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|"
        "october oct|november nov|december dec".split("|"),
        start=1,
    )
    for name in names.split()
}

TIME_WORDS = frozenset(
    "since until till before after during ago last next previous prior this quarter quarters year years month months "
    "week weeks day days yesterday tomorrow today ytd q1 q2 q3 q4".split()
)
