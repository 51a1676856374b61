"""What follows from a certificate that holds: the numbers, and the same in words."""

from novikoff.certificates.verified.fewest_mistakes import of_fewest_mistakes as of_fewest_mistakes
from novikoff.certificates.verified.joint import of_joint as of_joint
from novikoff.certificates.verified.one_vs_one import of_pairs as of_pairs
from novikoff.certificates.verified.separability import of_separability as of_separability
from novikoff.certificates.verified.separation import of_separation as of_separation
from novikoff.certificates.verified.soft_margin import VerifiedSoftMargin as VerifiedSoftMargin
from novikoff.certificates.verified.soft_margin import length_up as length_up
from novikoff.certificates.verified.soft_margin import of_soft_margin as of_soft_margin
from novikoff.certificates.verified.words import Verified as Verified
from novikoff.certificates.verified.words import rounded_up as rounded_up
from novikoff.certificates.verified.words import shown as shown
