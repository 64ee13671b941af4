"""ISO 4217: which currency codes exist and how many digits their minor unit has.

The digits are those of ISO 4217, not the "fractions" of CLDR: CLDR says how amounts are commonly shown (0 for HUF and
IDR), ISO says what one minor unit in a ledger is worth (2 for both), and an amount kept in minor units is read by the
latter. Withdrawn codes that ledgers of the last decades still hold are known too, as far as sources agree on their
minor unit. Source: ISO 4217 list one as amended up to January 2026, list three for withdrawn codes.
"""

from __future__ import annotations

from footnote.errors import FigureError

_TWO_DIGITS = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP
COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN
NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG
"""
_NO_DIGITS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THREE_DIGITS = "BHD IQD JOD KWD LYD OMR TND"
_FOUR_DIGITS = "CLF UYW"
_WITHOUT_MINOR_UNIT = "XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX"
_WITHDRAWN_TWO_DIGITS = """
ANG ATS BGN CSD CUC CYP DEM EEK FIM FRF HRK IEP LTL LVL MTL NLG SIT SKK VEF ZWL
"""
_WITHDRAWN_NO_DIGITS = "BYR ESP ITL LUF TRL"

MINOR_DIGITS: dict[str, int | None] = (
    dict.fromkeys((_TWO_DIGITS + _WITHDRAWN_TWO_DIGITS).split(), 2)
    | dict.fromkeys((_NO_DIGITS + " " + _WITHDRAWN_NO_DIGITS).split(), 0)
    | dict.fromkeys(_THREE_DIGITS.split(), 3)
    | dict.fromkeys(_FOUR_DIGITS.split(), 4)
    | dict.fromkeys(_WITHOUT_MINOR_UNIT.split(), None)
)
"""Digits of the minor unit by currency code; None where ISO 4217 says that there is no minor unit (gold, SDR)."""

WITHDRAWN: frozenset[str] = frozenset((_WITHDRAWN_TWO_DIGITS + _WITHDRAWN_NO_DIGITS).split())
"""The codes among them that ISO 4217 no longer has."""


def check_currency(currency: str) -> str:
    """The code itself, if it is one of ISO 4217 in capitals; otherwise raise `FigureError`."""
    if currency in MINOR_DIGITS:
        return currency
    known = str(currency).upper().strip() in MINOR_DIGITS
    raise FigureError(
        f"{str(currency)[:40]!r} is not a currency code of ISO 4217.",
        remedy=f"Write {str(currency).upper().strip()!r}." if known else "Use a code of three capitals, such as EUR.",
    )


def minor_digits(currency: str) -> int:
    """How many decimal digits the minor unit of a currency has by ISO 4217: EUR 2, JPY 0, KWD 3.

    Raises:
        FigureError: The code is unknown, or the currency has no minor unit (XAU).
    """
    digits = MINOR_DIGITS[check_currency(currency)]
    if digits is None:
        raise FigureError(
            f"{currency} has no minor unit in ISO 4217.", remedy="Keep its amounts as decimals, not in minor units."
        )
    return digits
