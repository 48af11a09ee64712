"""The tools of the reference. Each module implements one tool; its functions are in the order in which a call uses
them.
"""
