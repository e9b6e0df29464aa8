"""Writes the tables of telephone numbers from libphonenumber's metadata (Apache-2.0).

python -m venv V && V/bin/pip install phonenumbers==9.0.43 && V/bin/python crates/wire/phone_numbers.py
"""

from collections import defaultdict
from pathlib import Path

import phonenumbers
from phonenumbers import PhoneMetadata, PhoneNumberFormat, PhoneNumberType

TABLES = Path(__file__).parent / "src" / "phone_number"

# Calling codes 1 and 7 are shared by countries that the next digits tell apart. Of several area codes, the first one in use.
SHARED_CODES = (1, 7)
AREA_CODES = {"DO": "809", "JM": "876", "KZ": "7", "PR": "787"}

# Digits of a number in E.164, at most.
MAX_DIGITS = 15


def metadata(region, code):
    if region == "001":
        return PhoneMetadata.metadata_for_nongeo_region(code)
    return PhoneMetadata.metadata_for_region(region)


def lengths(code, regions):
    """Possible lengths of the national numbers, without those that can be dialled only locally."""
    if code == 1:
        return (10,)  # Canada's metadata has 7, for numbers that begin with 310 and cannot be called from abroad.
    known = {length for region in regions for length in metadata(region, code).general_desc.possible_length}
    return tuple(sorted(length for length in known if 0 < length <= MAX_DIGITS - len(str(code))))


def ranges(numbers):
    """`47aa` for 4, 5, 6, 7, 10: first and last of each range in hexadecimal digits."""
    firsts = [number for number in numbers if number - 1 not in numbers]
    lasts = [number for number in numbers if number + 1 not in numbers]
    return "".join(f"{first:x}{last:x}" for first, last in zip(firsts, lasts))


def entries(code, regions):
    """The main country of a calling code, and the others by their code."""
    for region in regions:
        if region == "001":
            yield f"00{code}"
        elif code in SHARED_CODES and region != regions[0]:
            area = AREA_CODES.get(region) or metadata(region, code).leading_digits or ""
            if not str(area or 0).isdigit():
                raise SystemExit(f"{region}: add its area code")
            yield f"{region}{code}{area}"
        else:
            yield f"{region}{code}"


def countries():
    groups = defaultdict(list)
    for code, regions in phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items():
        main, *others = entries(code, regions)
        groups[lengths(code, regions)].append((main, others))
    for group, codes in sorted(groups.items()):
        # A shared code belongs to the country that comes first; the rest is in alphabetical order, which compresses well.
        mains = sorted(main for main, others in codes if others)
        rest = sorted([main for main, others in codes if not others] + [other for _, others in codes for other in others])
        yield " ".join([ranges(group), *mains, *rest])


def examples():
    """Fixed and mobile numbers of each country: country, as dialled there, E.164."""
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        for kind in (PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE):
            number = phonenumbers.example_number_for_type(region, kind)
            if number:
                national = phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
                yield f"{region}\t{national}\t{phonenumbers.format_number(number, PhoneNumberFormat.E164)}"


def write(name, lines):
    (TABLES / name).write_text("".join(line + "\n" for line in lines))


if f"phonenumbers=={phonenumbers.__version__} " not in __doc__:
    raise SystemExit(f"phonenumbers {phonenumbers.__version__} is not the version named above")
write("countries.txt", countries())
write("examples.tsv", examples())
