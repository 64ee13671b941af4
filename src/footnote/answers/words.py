"""English words that the keyless router may pass over, and words it must never pass over.

A question is answered only if every word of it is accounted for: by the operation's own words, by a name, by an
argument, or by a word here that restricts nothing. So `FILLERS` is a closed list, and words that could turn a question
round (`we owe`, `not`, `next`) are missing from it on purpose.
"""

from __future__ import annotations

FILLERS = frozenset(
    """
    a an the any anything something some all there that it its their they them
    how much many what which who whom whose
    is are am do does has have
    me us our my you your
    show give tell list display see find get let please hi hello hey thanks thank
    of for from by to in at on with about and or
    amount amounts total totals money number numbers count figure figures
    now currently presently still already also
    what's who's how's here's that's let's whats
    """.split()
)
"""Words that restrict nothing. Those that stand before a thing (`in`, `by`) are safe because the thing is looked at."""

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

RESTRICTORS = frozenset(
    """
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

BE = frozenset("is are was were am be been being get gets got".split())

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
