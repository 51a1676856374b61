"""What follows from a certificate that holds: the numbers, and the same in words."""

from novikoff.certificates.verified.separability import of_separability as of_separability
from novikoff.certificates.verified.separation import of_separation as of_separation
from novikoff.certificates.verified.words import Verified as Verified
from novikoff.certificates.verified.words import rounded_up as rounded_up
from novikoff.certificates.verified.words import shown as shown
