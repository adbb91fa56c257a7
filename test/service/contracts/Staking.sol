// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Erc20} from "./Erc20.sol";

/// A staking contract that is the staked token itself: one for each token that was put in.
abstract contract StakingPool is Erc20 {
    Erc20 public immutable token;

    constructor(Erc20 token_) Erc20("Staked Token", "sSTK", 18) {
        token = token_;
    }

    function _stake(address recipient, uint256 amount) internal {
        require(amount > 0, "Staking: amount is 0");
        require(token.transferFrom(msg.sender, address(this), amount), "Staking: transfer failed");
        _mint(recipient, amount);
    }
}

/// Gives tokens back only after a waiting time.
abstract contract Unstaking is StakingPool {
    struct Stake {
        uint256 rewardDebt;
        uint256 cooldownEnd;
        uint256 cooldownAmount;
    }

    /// In seconds.
    uint256 public cooldownDuration = 7 days;
    mapping(address owner => Stake) public stakes;

    /// For tests: anyone may.
    function setCooldownDuration(uint256 duration) external {
        cooldownDuration = duration;
    }

    /// Takes the amount out of the stake at once; the waiting time begins anew for all that waits.
    function initiateUnstake(uint256 amount) external {
        require(amount > 0, "Staking: amount is 0");
        _burn(msg.sender, amount);
        Stake storage waiting = stakes[msg.sender];
        waiting.cooldownAmount += amount;
        waiting.cooldownEnd = block.timestamp + cooldownDuration;
    }

    function finalizeUnstake() external {
        Stake storage waiting = stakes[msg.sender];
        uint256 amount = waiting.cooldownAmount;
        require(amount > 0, "Staking: nothing to unstake");
        require(block.timestamp >= waiting.cooldownEnd, "Staking: the waiting time is not over");
        waiting.cooldownAmount = 0;
        waiting.cooldownEnd = 0;
        require(token.transfer(msg.sender, amount), "Staking: transfer failed");
    }
}

/// Both call forms.
contract Staking is Unstaking {
    constructor(Erc20 token_) StakingPool(token_) {}

    function stake(uint256 amount) external {
        _stake(msg.sender, amount);
    }

    function stake(address recipient, uint256 amount) external {
        _stake(recipient, amount);
    }
}

/// Only the form of the specification, and no way out.
contract StakingOwn is StakingPool {
    constructor(Erc20 token_) StakingPool(token_) {}

    function stake(uint256 amount) external {
        _stake(msg.sender, amount);
    }
}

/// Only the form with a recipient.
contract StakingFor is Unstaking {
    constructor(Erc20 token_) StakingPool(token_) {}

    function stake(address recipient, uint256 amount) external {
        _stake(recipient, amount);
    }
}
